// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/breakdown.h"
#include "report/words.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

// What a run of one point found, as types; the schema says what each field is.
// report/point_fields.h has them as JSON.

struct PointMachine {
    std::optional<std::string> id; ///< absent: a report of an earlier version
    std::string chip;
    std::int64_t cores = 0;
    std::optional<std::int64_t> devices; ///< absent: a report of an earlier version
    std::int64_t chips = 0;
    std::string slice;
    std::optional<int> slices;             ///< of that shape, where there are several
    std::optional<std::vector<bool>> wrap; ///< absent: a report of an earlier version
    bool slice_assumed = false;
    bool slice_asked = false;
    bool twisted = false;
    std::optional<int> faults; ///< how many
};

/// Memory of a core.
struct PointMemory {
    std::int64_t bytes_per_core = 0;
    std::int64_t capacity_bytes = 0;
    Named<std::int64_t> parts;
    std::optional<std::string> largest;
    bool at_edge = false; ///< within 0.5 % of the capacity, on either side
    std::optional<std::int64_t> host_bytes_per_core; ///< of host DRAM, where buffers stand there
    std::optional<std::int64_t> host_capacity_bytes;
    std::optional<std::int64_t> storage_bytes_per_core = {}; ///< likewise of the host's drives
    std::optional<std::int64_t> storage_capacity_bytes = {};
    std::optional<std::int64_t> compiler_bytes_per_core = {}; ///< that it allocates

    /// What decides whether the job fits.
    std::int64_t needed_bytes() const { return compiler_bytes_per_core.value_or(bytes_per_core); }
};

/// The share of an interval that rests on what nobody measured or counted.
struct AssumedTime {
    double share = 0;
    std::string words; ///< a sentence without a full stop
};

/// What ops of one name take of an interval.
struct TimeRow {
    std::string name;
    std::int64_t ops = 0;    ///< of its programs
    double seconds = 0;      ///< on the critical path: those of all rows add up to the interval
    double share = 0;        ///< the same, of the interval
    double work_seconds = 0; ///< all of them by themselves, hidden or not
    std::optional<std::int64_t> bytes; ///< of a device's buffers that collectives move
};

/// An interval's time by something else than phases, the longest rows first.
struct TimeTable {
    std::string by; ///< "source line"
    std::vector<TimeRow> rows;
    std::int64_t unlisted = 0; ///< further rows
};

/// A sampled interval: what was simulated, and the interval.
struct Confidence {
    double confidence = 0;
    double low_seconds = 0;
    double high_seconds = 0;
    double relative_width = 0;
    double analytic_seconds = 0;
    std::int64_t steps = 0;
    std::int64_t simulated_steps = 0;
};

/// Seconds in each draw of all uncertain inputs; draw i is the same world at every point. Phases
/// and shares are there until the claims are judged.
struct Drawn {
    std::vector<double> seconds;
    Named<std::vector<double>> phases;
    std::array<std::vector<double>, share_count> shares;

    /// Returns the draws of "epoch_seconds", "phases.solve" or "hbm_seconds"; null for what draws
    /// tell nothing of.
    const std::vector<double>* of(const std::string& field) const;
    void drop_splits();
};

/// What one uncertain input does by itself. Its values are numbers or flags.
struct UncertainInput {
    std::string name;
    Json low, central, high;
    std::string unit;
    double seconds_at_low = 0;
    double seconds_at_high = 0;
    double swing = 1;         ///< the longest interval over the shortest
    double share_of_band = 0; ///< of the variance of the interval's logarithm over the draws
};

/// Behind a band.
struct Uncertainty {
    std::size_t draws = 0;
    double share = 0; ///< of the draws, that lies within the band
    double high_over_low = 1;
    std::vector<UncertainInput> ranking; ///< what matters most first
    std::size_t unlisted = 0;            ///< further ones that change the interval by themselves
};

struct BusiestLink {
    std::string chip; ///< coordinates of where it starts
    Mean bytes;
    double busy_seconds = 0;
};

/// All links along an axis in one direction.
struct IciAxis {
    std::string axis;
    std::string direction;
    std::int64_t links = 0;
    Mean bytes;
    double busy_seconds = 0;
    double utilisation = 0;
    std::optional<BusiestLink> busiest;
};

/// The links between chips in a mean interval; what only a simulation knows is absent of others.
struct Ici {
    Mean bytes;
    double utilisation = 0;
    std::optional<std::vector<IciAxis>> axes;
    std::optional<Mean> on_chip_bytes;
    std::optional<Mean> messages;
    std::optional<Mean> message_hops;
    std::optional<double> hops_per_message;
};

/// Seconds a row of a gather of one device.
struct HbmRowGather {
    std::int64_t row_bytes = 0;
    double issue_seconds = 0;
    double uniform_bank_seconds = 0;
    double clamped_bank_seconds = 0;
};

struct HbmRates {
    std::int64_t channels = 0;
    std::string address_mapping;
    std::int64_t channel_interleave_bytes = 0;
    double read_share_of_peak = 0;
    double copy_share_of_peak = 0;
    HbmRowGather row_gather;
};

/// A collective of the program and the schedule that was picked for it.
struct CollectiveSchedule {
    std::string phase;
    std::string op;
    std::string kind;
    std::int64_t bytes = 0;
    std::int64_t times = 0;
    std::string schedule; ///< in words
    double seconds = 0;
    double latency_seconds = 0;
    double bound_seconds = 0;
};

/// What collectives of a phase and name carry.
struct Traffic {
    std::string phase;
    std::string op;
    std::string kind;
    std::int64_t times = 0;
    Mean payload_bytes;
    std::optional<std::int64_t> message_bytes;
};

/// What a device moves below its HBM in an interval, from one tier of memory to another; from host
/// to host what the host's cores read and write there.
struct PathUse {
    std::string from;
    std::string to;
    std::int64_t bytes = 0;
    double busy_seconds = 0; ///< of all its ops one after another, hidden or not
    double busy_share = 0;   ///< the same, of the interval
};

/// What passes through a host's memory on all these paths.
struct HostMemoryUse {
    std::int64_t bytes = 0;
    double busy_seconds = 0; ///< at a device's share of its rate
    double busy_share = 0;
};

/// A quantity that differs from core to core.
struct Skew {
    std::string phase;
    std::string of;
    std::string unit;
    std::int64_t least = 0;
    double mean = 0;
    std::int64_t most = 0;
    double most_over_mean = 1;
    std::int64_t straggler = 0;
};

/// What each device or chip counted in a mean interval: busy times of its engines, bytes.
struct DeviceCounter {
    std::string name;
    std::string per; ///< "device" or "chip"
    std::string unit;
    Mean least;
    double mean = 0;
    Mean most;
    std::int64_t most_at = 0;  ///< the device or chip that has most
    std::vector<Mean> of_each; ///< where they are few and not alike
};

/// Whether a faster network would pay.
struct Network {
    double share = 0;
    std::optional<double> latency_share;
    std::string statement;
};

/// Metrics after an interval; one that is no number has no value.
struct Quality {
    int interval = 0;
    Named<std::optional<double>> metrics;
    std::optional<double> simulated_seconds;

    /// None where there is no such metric, or it is no number.
    std::optional<double> metric(const std::string& name) const;
};

/// A stretch of a critical path; short ones in a row are one, by what takes most of it.
struct PathSpan {
    double begin_seconds = 0; ///< since the path begins
    double seconds = 0;
    std::string name;  ///< of the op
    std::string phase; ///< of it
    std::string share; ///< what the path waits for: "compute", "hbm"
    std::string unit;  ///< "MXU", "network"
    std::int64_t device = 0;
    std::optional<std::int64_t> merged; ///< so many short ones
};

/// What one step waited for, one thing after another; spans follow each other without a gap.
struct CriticalPath {
    std::int64_t step = 0;  ///< of its interval, from 1
    std::int64_t steps = 1; ///< so many, from that one on
    double seconds = 0;
    std::int64_t merged = 0; ///< spans that are part of another's
    std::vector<PathSpan> spans;
};

/// How fast it gets through what it is for, where the workload says what that is.
struct Throughput {
    std::string unit; ///< "tokens"
    double per_interval = 0;
    double per_second = 0;
    std::optional<double> usd_per_million;
    std::optional<double> usd_per_million_spot = {};
    std::optional<double> usd_per_million_committed = {};
    double useful_operations = 0; ///< that the algorithm needs an interval
    double mfu = 0;               ///< these over what the machine could do in its time
    /// That the devices compute; absent: of a report of an earlier version.
    std::optional<double> computed_operations = {};
    std::optional<double> hfu = {}; ///< these over the same
};

/// What the hosts' input pipeline takes of an interval by itself, stage by stage; they work side by
/// side, ahead of the devices.
struct InputStages {
    double read_seconds = 0;
    double parse_seconds = 0;
    double transfer_seconds = 0;
    bool every_host_reads_all = false;
};

/// Seconds of a whole job, part by part.
struct BillSeconds {
    double compile = 0;
    double load = 0;
    double training = 0;
    double evaluation = 0;
    double checkpoints = 0;
    double lost_to_failures = 0;

    double total() const
    {
        return compile + load + training + evaluation + checkpoints + lost_to_failures;
    }
};

/// What a job takes until its last interval or its target.
struct Bill {
    int intervals = 0;
    BillSeconds seconds;
    double hours = 0;
    std::optional<double> dollars; ///< on demand; none: the chip has no price
    std::optional<double> dollars_spot;
    std::optional<double> dollars_committed;
};

/// A field whose content a workload defines.
struct FieldOfWorkload {
    const char* name;
    const char* schema;
};

/// What, of all that a run yields, stands in a point itself; all else stands under `results`.
inline constexpr std::array fields_of_workloads{
    FieldOfWorkload{"tables_digest", R"({
        "description": "Of all numbers of both final tables, phantom rows left out: two runs with the same digest have the same tables, bit for bit.",
        "type": "string", "pattern": "^[0-9a-f]{16}$", "examples": ["00ff00ff00ff00ff"]})"},
    FieldOfWorkload{"popularity", R"({
        "description": "The same metrics of recommending the most linked columns to all rows.",
        "type": "object", "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1}})"},
    FieldOfWorkload{"recommended", R"({
        "description": "What is recommended after training to the rows of /study/workload/evaluation/recommend, best first; by names where the dataset has some.",
        "type": "array", "items": {
            "type": "object", "required": ["row", "known_links", "columns", "scores"],
            "properties": {
                "row": {"description": "To whom: a name, or an id.", "type": ["string", "integer"]},
                "known_links": {"description": "From which it was folded in; they are not recommended.", "type": "integer", "minimum": 0},
                "columns": {"description": "What is recommended, best first.", "type": "array", "items": {"type": ["string", "integer"]}},
                "scores": {"description": "Inner products of the row and each of these.", "type": "array", "items": {"type": "number"}}}}})"},
};

/// The schema of `results`: open, since each workload has words of its own. Known are the sketches
/// of trained matrices, from which two reports can be compared.
inline constexpr const char* results_schema = R"({
  "type": "object",
  "properties": {
    "sketches": {
      "description": "Random projections of what was trained (as it is in the end, without rows that only fill shards). From those of two reports `alxsim compare` tells how far apart the matrices are. The same bits on any host, and for the same numbers on any number of cores and for any placement.",
      "type": "array",
      "items": {
        "type": "object",
        "required": [
          "matrix",
          "rows",
          "columns",
          "kept",
          "draws"
        ],
        "properties": {
          "matrix": {"description": "Its name in the workload.", "type": "string"},
          "rows": {"description": "In the order of ids.", "type": "integer", "minimum": 0},
          "columns": {"description": "Numbers in a row.", "type": "integer", "minimum": 0},
          "kept": {
            "description": "How many numbers a draw keeps behind its mode of rows, and behind that of columns.",
            "type": "array",
            "items": {"type": "integer", "minimum": 1}
          },
          "norm": {"description": "Frobenius, of the matrix itself. Absent, and without draws, where a number is not finite.", "type": "number", "minimum": 0},
          "draws": {
            "description": "Independent projections.",
            "type": "array",
            "items": {
              "type": "object",
              "required": [
                "stream",
                "numbers"
              ],
              "properties": {
                "stream": {"description": "Of its random signs: `stream` for the rows, the next for the columns.", "type": "integer", "minimum": 0},
                "numbers": {
                  "description": "R_1 X R_2^T over the square root of how many there are, row by row.",
                  "type": "array",
                  "items": {"type": "number"}
                }
              }
            }
          }
        }
      }
    }
  }
})";

/// What a point has that fits and was timed.
struct Result {
    std::optional<Json> geometry; ///< the workload's own
    Breakdown epoch;
    std::optional<double> low_seconds; ///< of the band
    std::optional<double> high_seconds;
    std::optional<double> median_seconds;
    std::optional<std::string> interval;  ///< "epoch"; absent: a report of an earlier version
    std::optional<std::string> intervals; ///< several of them, where that is no "epochs"
    std::string fidelity;
    std::optional<Confidence> confidence;
    std::optional<AssumedTime> assumed; ///< of a workload that tells it
    std::vector<TimeTable> time_by;     ///< likewise
    std::optional<Drawn> drawn;
    std::optional<Uncertainty> uncertainty;
    std::optional<double> speedup; ///< where the series compares core counts
    std::optional<double> efficiency;
    Ici ici;
    std::optional<HbmRates> hbm;
    std::optional<std::vector<CollectiveSchedule>> schedules;
    std::optional<std::vector<Traffic>> traffic;
    std::optional<std::vector<Skew>> skew;
    std::vector<PathUse> paths; ///< of a job with bytes below HBM
    std::optional<HostMemoryUse> host_memory;
    std::optional<Network> network;
    std::optional<InputStages> input; ///< of a job that has a pipeline
    std::optional<Bill> bill;         ///< of a study that asks for it
    std::optional<double> cost_usd;
    std::optional<double> energy_joules;
    std::optional<Throughput> throughput;
    /// Simulated, until its series' target is reached, by the target's name; no value: never.
    Named<std::optional<double>> seconds_to;
    std::optional<std::vector<Quality>> quality;
    std::optional<int> kept_interval;  ///< whose numbers are kept; none: the last one's
    Json of_workload = Json::object(); ///< of what its run yields, fields_of_workloads
    Json results = Json::object();     ///< all else of it
    Json counters = Json::object();
    std::vector<DeviceCounter> device_counters; ///< where every step was simulated
    std::optional<CriticalPath> critical_path;  ///< of a traced point
};

/// What the result's times are told of.
IntervalWords interval_words(const Result& result);

/// Returns the metrics of the numbers as they are kept: after Result::kept_interval, or else the
/// last ones. Null: it has none.
const Quality* final_quality(const Result& result);

/// A part of its data that a point does without.
struct LeftOut {
    double share = 0;
    std::string words;
};

/// Why a point has no result.
struct NoResult {
    std::string kind; ///< "does_not_fit", "refused" (it cannot be made) or "failed"
    std::string why;  ///< for people
};

/// One run. It fits and has a result, does not fit and has its memory, or failed and has an error.
struct Point {
    std::string series;
    Settings sweep; ///< what sets it apart within its series
    PointMachine machine;
    bool fits = true;
    std::optional<LeftOut> left_out; ///< said before all figures
    std::vector<std::string> notes;
    std::optional<PointMemory> memory;
    std::optional<Result> result;
    std::optional<std::string> error;
    std::optional<NoResult> no_result = {}; ///< absent: it has one, or an earlier version's report

    /// Seconds of an interval with every input at its central value. Only of a point with a result.
    double seconds() const { return result.value().epoch.seconds; }
};

} // namespace alxsim::report
