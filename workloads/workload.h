// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/units.h"
#include "model/graph/program.h"
#include "topologies/input_rates.h"
#include "workloads/choices.h"
#include "workloads/unknown.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace alxsim::workloads {

class Workload;

/// A figure of how good a run's numbers are: recall, loss.
struct Metric {
    std::string name;
    std::optional<double> value; ///< absent: not finite
};

/// The metrics after an interval: 1 after the first; 0: as the run began.
struct IntervalMetrics {
    int interval = 0;
    std::vector<Metric> metrics;
};

/// How a run's numbers are computed and kept. None of it changes them.
struct RunOptions {
    int threads = 1; ///< of the host
    /// Callback that gets the share of the run that is done, now and then; may be empty.
    std::function<void(double)> progress;
    std::string checkpoint; ///< file of the last complete interval; "" for none
    /// Callback that returns an object by which a checkpoint is known to be of the same job; its
    /// "inputs" are the files that were read until the call.
    std::function<Json()> checkpoint_key = [] { return Json(); };
    /// Whether the run goes on from that file, if it is of the same job. A damaged file throws
    /// InputError before anything is done: the run is then started anew.
    bool resume = false;
    std::string export_folder;         ///< where results are written; "" for nowhere
    std::vector<std::string> exported; ///< names of Kind::exports to write; empty: all
};

/// A job with its numbers: the steps of all its intervals. Numbers never depend on time.
class Run : public model::StepSource {
public:
    /// Returns the metrics of each evaluated interval, in order. Call it after the last step.
    virtual std::vector<IntervalMetrics> metrics() const = 0;
    /// Returns what else the run found, for the point's `results` (tables_digest, popularity and
    /// recommended of ALX stand in the point itself). Call it after the last step.
    virtual Json results() const { return Json::object(); }
    /// Returns after which evaluated interval its numbers are kept, where that is not the last one.
    /// Call it after the last step.
    virtual std::optional<int> kept_interval() const { return std::nullopt; }
    /// Returns what readers of its metrics should know: that they are not finite, that an earlier
    /// interval was better. Sentences without a capital and a full stop. Call it after the last
    /// step.
    virtual std::vector<std::string> notes() const { return {}; }
    /// Returns what was counted, for the point's `counters`. Call it after the last step.
    virtual Json counters() const { return Json::object(); }
    /// Returns the workload with counts of this run in place of assumed ones; null: none is
    /// assumed.
    virtual std::shared_ptr<const Workload> as_counted() const { return nullptr; }
    /// Writes what is exported. Call it after the last step. Throws InputError for a folder that
    /// cannot be made.
    virtual void write_exports() const {}
};

/// A quantity that differs from device to device, over an interval.
struct Spread {
    std::string phase;
    std::string of; ///< the quantity in words: "links"
    std::string unit;
    std::vector<std::int64_t> of_device;
};

/// A part of its data that a job does without.
struct LeftOut {
    double share = 0;  ///< of the work
    std::string words; ///< "17 % of row links are cut off: ...": no full stop
};

/// Work of which nobody measured or counted what it takes.
struct AssumedWork {
    std::set<std::string> ops; ///< of program(), by their names
    std::string words;         ///< "2 kernels by their authors' estimates"; "" where there is none
};

/// What a report says of a job beside its times.
struct Description {
    Json input;                        ///< its data: sizes and where they come from; null: none
    Json geometry;                     ///< how the work is cut into steps; null: nothing to say
    Named<std::string> geometry_words; ///< the same for a table: column -> cell
    std::string geometry_note;         ///< how to read these, a sentence; "": they say it
    std::vector<Spread> spreads;       ///< beside those of ops whose sizes follow the data
    Json counters;                     ///< of an interval that is timed without numbers; null: none
    std::optional<LeftOut> left_out = {}; ///< said before all figures
    std::vector<std::string> notes = {};  ///< what else should be known, without a full stop
    /// Work whose share of the time the report tells; nothing: the job does not say.
    std::optional<AssumedWork> assumed = {};
};

/// Ops of a job under names by which its time is told, too, beside its phases.
struct OpGroups {
    std::string by;                           ///< "source line"
    std::map<std::string, std::string> of_op; ///< by the op's name
    std::string others;                       ///< all other ops
};

/// What an interval does for whoever asked for it, whatever the machine makes of it.
struct UsefulWork {
    double operations = 0; ///< multiplications and additions that the algorithm needs
    std::string unit;      ///< of what it works through: "tokens"
    double units = 0;      ///< of an interval
};

/// A job on a machine, as a study asks for it: immutable, without a clock.
class Workload {
public:
    virtual ~Workload() = default;

    /// Returns what a report's `epoch_seconds` is one of: "epoch", "training step".
    virtual std::string interval() const = 0;
    /// Returns the plural of interval().
    virtual std::string interval_plural() const { return interval() + "s"; }
    /// Returns how many intervals a run with numbers has.
    virtual int intervals() const { return 1; }
    /// Returns one interval, for memory fit, estimates, and runs without numbers.
    virtual const model::Program& program() const = 0;
    /// Starts the job with its numbers; null: it has none. The workload must outlive the run.
    virtual std::unique_ptr<Run> start(const RunOptions& /*options*/) const { return nullptr; }
    /// Throws the InputError with which start() would refuse the job.
    virtual void check_start() const {}
    virtual Description describe() const { return {}; }
    /// Returns what else than phases its time is told by; each costs an estimate of its own.
    virtual std::vector<OpGroups> op_groups() const { return {}; }
    /// Returns what the compiler that made the program allocates in HBM of a device, which decides
    /// whether the job fits; nothing: that is counted from the buffers of program().
    virtual std::optional<Bytes> compiled_bytes() const { return std::nullopt; }
    /// Returns what readers of its numbers should know on this machine: choices that change
    /// nothing, assumptions behind its times. Sentences without a capital and a full stop.
    virtual std::vector<std::string> notes() const { return {}; }
    /// Returns the work by which MFU and rates are told; nothing: they are not told.
    virtual std::optional<UsefulWork> useful_work() const { return std::nullopt; }

    /// Returns what a user may decide otherwise, for `advise`. Throws InputError.
    virtual Choices choices() const { return {}; }
    /// Returns single changes that `explain` tries: each other option of choices() that is no
    /// ladder, unless a workload says otherwise.
    virtual std::vector<Alternative> alternatives() const;
    /// Returns what a phase's time leaves unsaid in this job: "the rest hidden behind the solve";
    /// "" for nothing.
    virtual std::string phase_remark(const std::string& /*phase*/) const { return ""; }

    /// Returns the uncertain inputs of the job, beside the machine's values.
    virtual std::vector<Unknown> unknowns() const { return {}; }
    /// Returns one interval in which unknowns() have these values; those without a value stay as
    /// they are. Throws InputError for values that no job has. Safe to call from many threads.
    virtual model::Program drawn(const DrawnValues& /*values*/) const { return program(); }
    /// Returns a figure of Kind::figures (no time) of the job with these values; nothing for
    /// another name. Throws InputError. Safe to call from many threads.
    virtual std::optional<double> figure(const std::string& /*name*/,
                                         const DrawnValues& /*values*/) const
    {
        return std::nullopt;
    }
    /// Returns how fast a host's input pipeline reads and parses for this job.
    virtual topologies::InputRates input_rates() const { return {}; }
    /// Returns input_rates() where unknowns() have these values.
    virtual topologies::InputRates drawn_input_rates(const DrawnValues& /*values*/) const
    {
        return input_rates();
    }
    /// Returns what a checkpoint keeps of each device; 0: not known.
    virtual Bytes state_bytes() const { return Bytes(0); }
    /// Returns one evaluation of what is trained; empty: there is none, or it takes no time.
    virtual model::Program evaluation() const { return {}; }
    /// Returns after how many intervals there is an evaluation.
    virtual int intervals_between_evaluations() const { return 1; }
    /// Returns what a run with numbers keeps in the memory of the host that simulates it.
    virtual Bytes host_memory() const { return Bytes(0); }
    /// Estimates how long one core of that host takes for the numbers of all intervals of a run.
    virtual Seconds host_time() const { return Seconds(0); }
};

} // namespace alxsim::workloads
