// SPDX-License-Identifier: Apache-2.0
#include "experiments/uncertainty/unknowns.h"

#include "alx/assumed_traffic.h"
#include "alx/gather.h"
#include "alx/scatter.h"
#include "alx/step_graph.h"
#include "base/portable_math.h"
#include "model/job_estimate.h"
#include "model/memory.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

/// The rates of the memory's banks are measured anew for each value of these: they are drawn from
/// low, central and high alone.
const char* const granule = "hbm_access_granule_bytes";
const char* const interleave = "hbm_channel_interleave_bytes";
const char* const hbm_bandwidth = "hbm_bw_chip";

/// Consecutive pages of a crawl link to each other and to the same pages: on cnr-2000 batches of
/// 600 to 60,000 links hit 0.20 to 0.27 of the distinct pages that independent links would, those
/// of shuffled pages 0.96 to 1.00 (tests/system/sharding_test.cpp).
constexpr double least_distinct_factor = 0.2;

/// That slices of v3 below a pod wrap: nothing published says it or rules it out.
constexpr double wrap_is_likely = 0.35;

/// That XLA makes one op of an all-reduce of all batches and the cut of the own one: its passes
/// know the pattern, whether they ran on a TPU then is not published.
constexpr double reduce_scatter_is_likely = 0.6;

/// What the analytic model has no use for: timing of the banks, buffers of the routers. And what
/// is drawn under another name: how many row transfers are under way at once is the upper end of
/// gather_row_s.
bool is_detail(const std::string& key)
{
    const bool of_banks =
        key.rfind("hbm_", 0) == 0 && key != granule && key != interleave && key != hbm_bandwidth;
    return of_banks || key == "ici_vc_buffer_bytes" || key == "dma_outstanding";
}

double nearest_of(const model::UnknownNumber& unknown, double value)
{
    const double half_low = (unknown.low + unknown.central) / 2;
    const double half_high = (unknown.central + unknown.high) / 2;
    return value < half_low ? unknown.low : value > half_high ? unknown.high : unknown.central;
}

double as_number(const Json& value)
{
    return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

bool is_whole(const topologies::PresetValue& entry)
{
    return entry.low.is_number_integer() && entry.value.is_number_integer() &&
           entry.high.is_number_integer();
}

/// A draw as the preset writes it: whole where its band is whole, a flag where it is a flag.
Json like(const topologies::PresetValue& entry, double value)
{
    if (entry.value.is_boolean()) {
        return value > 0.5;
    }
    return is_whole(entry) ? Json(std::llround(value)) : Json(value);
}

/// What hosts do: another run has others.
bool of_run(const std::string& key)
{
    return key.rfind("host_", 0) == 0 || key.rfind("pcie_", 0) == 0 || key == "chips_per_host" ||
           key == "step_dispatch_s";
}

std::vector<Unknown> preset_unknowns(const topologies::Preset& preset)
{
    std::vector<Unknown> unknowns;
    for (const std::string& key : preset.keys()) {
        const topologies::PresetValue& entry = preset.at(key);
        const bool scalar = entry.value.is_number() || entry.value.is_boolean();
        if (entry.low.is_null() || !scalar || entry.low == entry.high || is_detail(key)) {
            continue;
        }
        Unknown unknown{key, entry.low, entry.value, entry.high, entry.unit, {}, {}, {}};
        unknown.range = {as_number(entry.low), as_number(entry.value), as_number(entry.high)};
        unknown.of = of_run(key) ? UnknownOf::run : UnknownOf::machine;
        unknown.set = [key, range = unknown.range](WhatIf& job, double value) {
            if (key == hbm_bandwidth) {
                // The whole memory faster or slower, its banks with it: nothing to measure anew.
                job.hbm_clock = value / range.central;
                return;
            }
            if (key == interleave) {
                job.edge_interleave = Bytes(std::llround(nearest_of(range, value)));
                return;
            }
            const double drawn = key == granule ? nearest_of(range, value) : value;
            job.preset.draw_value(key, like(job.preset.at(key), drawn));
        };
        unknowns.push_back(unknown);
    }
    return unknowns;
}

topologies::Slice wrapped(const topologies::Slice& slice)
{
    std::vector<topologies::Axis> axes = slice.axes();
    for (topologies::Axis& axis : axes) {
        axis.wraps = axis.length > 2;
    }
    return {axes, slice.cores_per_chip(), slice.assumed(), slice.twisted()};
}

/// Where an axis is a line: which sub-slices wrap is published for few shapes.
void add_wrap(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    const auto& axes = job.slice.axes();
    const bool has_line = std::any_of(axes.begin(), axes.end(), [](const topologies::Axis& axis) {
        return axis.length > 2 && !axis.wraps;
    });
    if (has_line) {
        unknowns.push_back({"wrap of all axes",
                            false,
                            false,
                            true,
                            "",
                            {0, 0, 1},
                            UnknownOf::machine,
                            [](WhatIf& what_if, double value) {
                                if (value > 0) {
                                    what_if.slice = wrapped(what_if.slice);
                                }
                            },
                            wrap_is_likely});
    }
}

Unknown number(const std::string& name, const model::UnknownNumber& range, const std::string& unit,
               UnknownOf of, std::function<void(WhatIf&, double)> set)
{
    return {name, range.low, range.central, range.high, unit, range, of, std::move(set)};
}

/// What the compiler made of the released code, which is not published.
void add_code(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    if (!job.config.semantics.donate) {
        const auto central = static_cast<double>(job.config.undonated_copies);
        unknowns.push_back(number("shard copies in a step", {0, central, 2}, "copies",
                                  UnknownOf::code, [](WhatIf& what_if, double value) {
                                      what_if.config.undonated_copies =
                                          static_cast<int>(std::lround(value));
                                  }));
    }
    if (job.config.gather == "all_reduce_loop" && job.mesh.row_shards > 1) {
        unknowns.push_back(number("passes over a gathered batch", {3, job.config.loop_passes, 10},
                                  "passes", UnknownOf::code, [](WhatIf& what_if, double value) {
                                      what_if.config.loop_passes = value;
                                  }));
    }
    if (job.config.gather == "all_reduce" && job.mesh.row_shards > 1) {
        unknowns.push_back({"all-reduce and own slice become a reduce-scatter",
                            false,
                            false,
                            true,
                            "",
                            {0, 0, 1},
                            UnknownOf::code,
                            [](WhatIf& what_if, double value) {
                                if (value > 0) {
                                    what_if.config.gather = "reduce_scatter";
                                }
                            },
                            reduce_scatter_is_likely});
    }
}

/// In whole eights of lines, and ids of a line in powers of two, as people choose them.
alx::BatchGeometry drawn_geometry(const alx::SideShape& side, double ids, const WhatIf& job,
                                  std::uint64_t seed)
{
    const double length = std::max(1.0, job.batches->line_length);
    const auto line_length = std::int64_t{1} << std::llround(portable::log2(length));
    const std::int64_t lines = round_up(
        std::max<std::int64_t>(1, std::llround(ids / static_cast<double>(line_length))), 8);
    return {lines, line_length,
            alx::rows_for_lines(side, lines, line_length, job.config.semantics.admission, seed)};
}

/// Sets drawn batches in the halves whose geometry is not given.
void draw_batches(const WhatIf& job, alx::AlxConfig& config, alx::WorkloadShape& shape)
{
    shape.lines_used = job.batches->lines_used;
    if (job.batch_choices.rows != BatchChoice::given) {
        config.batch = drawn_geometry(row_side(shape), job.batches->row_ids, job, config.seed);
    }
    if (job.batch_choices.columns != BatchChoice::given) {
        config.column_batch =
            drawn_geometry(column_side(shape), job.batches->row_ids * job.batches->column_ratio,
                           job, config.seed + 1);
    }
}

/// As the job has them.
DrawnBatches batches_of(const WhatIf& job)
{
    const auto row_ids = static_cast<double>(job.config.batch.slots());
    const auto column_ids = static_cast<double>(job.config.column_batch.slots());
    return {row_ids, column_ids / row_ids, static_cast<double>(job.config.batch.line_length)};
}

/// Which batches the authors used is not known. Central is what the library's defaults give, but
/// for the columns, whose batches have a size of their own and longer rows to hold.
void add_batches(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    const auto add = [&](const char* name, const model::UnknownNumber& range, const char* unit,
                         double DrawnBatches::*field) {
        unknowns.push_back(
            number(name, range, unit, UnknownOf::run, [field](WhatIf& what_if, double value) {
                if (!what_if.batches) {
                    what_if.batches = batches_of(what_if);
                }
                (*what_if.batches).*field = value;
            }));
    };
    const bool rows = job.batch_choices.rows != BatchChoice::given;
    const bool columns = job.batch_choices.columns != BatchChoice::given;
    if (!job.shape || (!rows && !columns)) {
        return;
    }
    if (rows) {
        add("ids in a batch of rows", {8192, 16384, 1048576}, "ids", &DrawnBatches::row_ids);
        add("length of a line", {8, 16, 64}, "ids", &DrawnBatches::line_length);
    }
    if (columns) {
        add("ids in a batch of columns, over rows", {1, 2, 16}, "", &DrawnBatches::column_ratio);
    }
    add("share of lines used", {0.4, 0.95, 1}, "", &DrawnBatches::lines_used);
}

void add_counts(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    if (!job.shape) {
        return;
    }
    const auto iterations = [&](const char* name, const alx::CgAssumption& assumed,
                                std::int64_t alx::CgConfig::*field) {
        const model::UnknownNumber range{static_cast<double>(assumed.low),
                                         static_cast<double>(job.config.cg.*field),
                                         static_cast<double>(assumed.high)};
        unknowns.push_back(number(name, range, "iterations", UnknownOf::run,
                                  [field](WhatIf& what_if, double value) {
                                      what_if.config.cg.*field = std::llround(value);
                                  }));
    };
    if (job.config.solver == "cg") {
        iterations("CG iterations, rows", alx::row_cg_iterations,
                   &alx::CgConfig::assumed_row_iterations);
        iterations("CG iterations, columns", alx::column_cg_iterations,
                   &alx::CgConfig::assumed_column_iterations);
    }
    // int64 TFRecords, parsed by tf.data; nothing measured.
    unknowns.push_back(
        number("ids that a host reads", {2e7, 1e8, 1e9}, "ids/s", UnknownOf::run,
               [](WhatIf& what_if, double value) { what_if.host_ids_per_second = value; }));
    // In halves of a decade, since lengths are sampled anew for each value.
    unknowns.push_back(number("longest row", {2e4, static_cast<double>(job.shape->longest), 3e7},
                              "links", UnknownOf::run, [](WhatIf& what_if, double value) {
                                  what_if.shape->longest = std::llround(portable::pow(
                                      10.0, std::round(2 * portable::log10(value)) / 2));
                              }));
}

alx::TimingProgram program_of(const WhatIf& job)
{
    if (!job.shape) {
        return alx::timing_program(job.config, job.row_batches, job.column_batches, job.mesh);
    }
    alx::AlxConfig config = job.config;
    alx::WorkloadShape shape = *job.shape;
    if (job.batches) {
        draw_batches(job, config, shape);
    }
    return alx::timing_program(config, shape, job.mesh);
}

/// What the placement and the batches' links do to traffic, where sizes follow the data.
void add_traffic(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    const bool at_owner = alx::scatter_strategies().create(job.config.scatter)->at_owner();
    const alx::TrafficNeeds needs = alx::needs_of(job.config);
    if (!job.shape || (!needs.any() && !at_owner)) {
        return;
    }
    const auto add = [&](const char* name, const model::UnknownNumber& range,
                         const std::function<void(alx::TrafficAssumption&, double)>& set) {
        if (range.low < range.high) {
            unknowns.push_back(
                number(name, range, "", UnknownOf::run, [set](WhatIf& what_if, double value) {
                    set(what_if.config.assumed_traffic, value);
                }));
        }
    };
    using alx::TrafficAssumption;
    const alx::PlacementAssumption placed =
        alx::assumed_placement(job.config, *job.shape, job.mesh);
    if (needs.rows) {
        add("distinct rows of a batch over those of independent links",
            {least_distinct_factor, job.config.assumed_traffic.distinct_factor, 1.0},
            [](TrafficAssumption& assumed, double value) { assumed.distinct_factor = value; });
    }
    if (needs.rows && at_owner) {
        add("links inside a shard", placed.local_share,
            [](TrafficAssumption& assumed, double value) { assumed.local_share = value; });
    }
    add("busiest shard's rows over the mean, by links", placed.row_imbalance,
        [](TrafficAssumption& assumed, double value) { assumed.row_imbalance = value; });
    add("busiest shard's columns over the mean, by links", placed.column_imbalance,
        [](TrafficAssumption& assumed, double value) { assumed.column_imbalance = value; });
}

} // namespace

WhatIf what_if_of(const AlxWorkload& workload, const topologies::Machine& machine)
{
    return {machine.preset,
            machine.slice,
            machine.faults,
            workload.config,
            workload.mesh,
            workload.shape,
            workload.program.rows,
            workload.program.columns,
            workload.batch_choices,
            1,
            Bytes(0),
            0,
            std::nullopt};
}

topologies::Machine machine_of(const WhatIf& job)
{
    topologies::Machine machine = topologies::make_machine(job.preset, job.slice);
    machine.faults = job.faults;
    machine.host.feed_bytes_per_second = job.host_ids_per_second * alx::id_bytes;
    machine.hbm.edge_interleave = job.edge_interleave;
    machine.hbm.clock_hz *= job.hbm_clock;
    machine.device.hbm_chip_bytes_per_second *= job.hbm_clock;
    return machine;
}

model::Breakdown estimate(const WhatIf& job)
{
    return model::estimate(program_of(job).epoch, machine_of(job),
                           model::ScheduleTimes::closed_form);
}

DrawnEstimate estimate_with_memory(const WhatIf& job)
{
    const topologies::Machine machine = machine_of(job);
    const alx::TimingProgram program = program_of(job);
    std::vector<std::shared_ptr<const model::OpGraph>> graphs;
    for (const model::StepGroup& group : program.epoch) {
        graphs.push_back(group.step.graph);
    }
    if (!model::memory_fit(graphs, machine).fits()) {
        return {};
    }
    return {true, model::estimate(program.epoch, machine, model::ScheduleTimes::closed_form)};
}

std::vector<Unknown> unknowns_of(const WhatIf& job)
{
    std::vector<Unknown> unknowns = preset_unknowns(job.preset);
    add_wrap(job, unknowns);
    add_code(job, unknowns);
    add_batches(job, unknowns);
    add_counts(job, unknowns);
    add_traffic(job, unknowns);
    return unknowns;
}

} // namespace alxsim::experiments
