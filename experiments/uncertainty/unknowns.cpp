// SPDX-License-Identifier: Apache-2.0
#include "experiments/uncertainty/unknowns.h"

#include "alx/assumed_traffic.h"
#include "alx/scatter.h"
#include "alx/step_graph.h"
#include "base/portable_math.h"
#include "model/job_estimate.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

/// The rates of the memory's banks are measured anew for each value: it is drawn from low, central
/// and high alone.
const char* const granule = "hbm_access_granule_bytes";
const char* const hbm_bandwidth = "hbm_bw_chip";

/// Consecutive pages of a crawl link to each other and to the same pages: on cnr-2000 batches of
/// 600 to 60,000 links hit 0.20 to 0.27 of the distinct pages that independent links would, those
/// of shuffled pages 0.96 to 1.00 (tests/system/sharding_test.cpp).
constexpr double least_distinct_factor = 0.2;

/// What the analytic model has no use for: timing of the banks, buffers of the routers.
bool is_detail(const std::string& key)
{
    const bool of_banks = key.rfind("hbm_", 0) == 0 && key != granule && key != hbm_bandwidth;
    return of_banks || key == "ici_vc_buffer_bytes";
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

std::vector<Unknown> preset_unknowns(const topologies::Preset& preset)
{
    std::vector<Unknown> unknowns;
    for (const std::string& key : preset.keys()) {
        const topologies::PresetValue& entry = preset.at(key);
        const bool scalar = entry.value.is_number() || entry.value.is_boolean();
        if (entry.low.is_null() || !scalar || entry.low == entry.high || is_detail(key)) {
            continue;
        }
        Unknown unknown{key, entry.low, entry.value, entry.high, entry.unit, {}, {}};
        unknown.range = {as_number(entry.low), as_number(entry.value), as_number(entry.high)};
        unknown.set = [key, range = unknown.range](WhatIf& job, double value) {
            if (key == hbm_bandwidth) {
                // The whole memory faster or slower, its banks with it: nothing to measure anew.
                job.hbm_clock = value / range.central;
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

/// As likely as not, where an axis is a line: which sub-slices wrap is published for few shapes.
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
                            [](WhatIf& what_if, double value) {
                                if (value > 0) {
                                    what_if.slice = wrapped(what_if.slice);
                                }
                            }});
    }
}

/// Batches of 1024 lines, as the released code's defaults have them (batching_utils.py and the
/// loader): of 16 or 32 ids, with its 64 rows or with as many as "auto" gives to so many slots.
alx::BatchGeometry released_geometry(std::int64_t line_length, bool full, double mean_length)
{
    const auto slots = static_cast<double>(1024 * line_length);
    return {1024, line_length, full ? std::llround(std::floor(slots / mean_length)) : 64};
}

/// Which of them the authors used is not known.
void add_geometry(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    const auto set = [](WhatIf& what_if, double value) {
        const auto choice = std::llround(value);
        if (choice != 0) {
            const std::int64_t line_length = choice == 2 ? 32 : 16;
            what_if.config.batch =
                released_geometry(line_length, choice < 0, what_if.shape->mean_row_length());
            what_if.config.column_batch =
                released_geometry(line_length, choice < 0, what_if.shape->mean_column_length());
        }
    };
    if (job.shape) {
        unknowns.push_back({"batch geometry",
                            "1024 lines of 16, full",
                            "auto",
                            "1024 lines of 32, 64 rows",
                            "",
                            {-1, 0, 2},
                            set});
    }
}

void add_counts(const WhatIf& job, std::vector<Unknown>& unknowns)
{
    const auto add = [&](const char* name, double low, double central, double high,
                         const char* unit, std::function<void(WhatIf&, double)> set) {
        unknowns.push_back({name, low, central, high, unit, {low, central, high}, std::move(set)});
    };
    if (job.shape && job.config.solver == "cg") {
        const alx::CgAssumption assumed;
        add("CG iterations", static_cast<double>(assumed.low),
            static_cast<double>(job.config.cg.assumed_iterations),
            static_cast<double>(assumed.high), "iterations", [](WhatIf& what_if, double value) {
                what_if.config.cg.assumed_iterations = std::llround(value);
            });
    }
    if (job.shape) {
        // Draws are of three values, since lengths are sampled anew for each.
        add("longest row", 1e5, static_cast<double>(job.shape->longest), 1e7, "links",
            [](WhatIf& what_if, double value) {
                what_if.shape->longest =
                    std::llround(portable::pow(10.0, std::round(portable::log10(value))));
            });
    }
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
            unknowns.push_back({name, range.low, range.central, range.high, "", range,
                                [set](WhatIf& what_if, double value) {
                                    set(what_if.config.assumed_traffic, value);
                                }});
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
    return {machine.preset, machine.slice,  machine.faults,        workload.config,
            workload.mesh,  workload.shape, workload.program.rows, workload.program.columns};
}

model::Breakdown estimate(const WhatIf& job)
{
    topologies::Machine machine = topologies::make_machine(job.preset, job.slice);
    machine.faults = job.faults;
    machine.hbm.clock_hz *= job.hbm_clock;
    machine.device.hbm_chip_bytes_per_second *= job.hbm_clock;
    const alx::TimingProgram program =
        job.shape ? alx::timing_program(job.config, *job.shape, job.mesh)
                  : alx::timing_program(job.config, job.row_batches, job.column_batches, job.mesh);
    return model::estimate(program.epoch, machine, model::ScheduleTimes::closed_form);
}

std::vector<Unknown> unknowns_of(const WhatIf& job, bool automatic_batch)
{
    std::vector<Unknown> unknowns = preset_unknowns(job.preset);
    add_wrap(job, unknowns);
    if (automatic_batch) {
        add_geometry(job, unknowns);
    }
    add_counts(job, unknowns);
    add_traffic(job, unknowns);
    return unknowns;
}

} // namespace alxsim::experiments
