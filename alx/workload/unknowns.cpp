// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/unknowns.h"

#include "alx/steps/assumed_traffic.h"
#include "alx/steps/step_graph.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::alx {
namespace {

using workloads::number_unknown;
using workloads::UnknownOf;
using workloads::whole_unknown;

/// Consecutive pages of a crawl link to each other and to the same pages: on cnr-2000 batches of
/// 600 to 60,000 links hit 0.20 to 0.27 of the distinct pages that independent links would, those
/// of shuffled pages 0.96 to 1.00 (tests/system/sharding_test.cpp).
constexpr double least_distinct_factor = 0.2;

/// In whole eights of lines, and ids of a line in powers of two, as people choose them.
BatchGeometry drawn_geometry(const SideShape& side, double ids, const DrawnInputs& inputs)
{
    const double length = std::max(1.0, inputs.batches->line_length);
    const auto line_length = std::int64_t{1} << std::llround(portable::log2(length));
    const std::int64_t lines = round_up(
        std::max<std::int64_t>(1, std::llround(ids / static_cast<double>(line_length))), 8);
    return {lines, line_length,
            rows_for_lines(side, lines, line_length, inputs.config.semantics.admission)};
}

/// Sets drawn batches in the halves whose geometry is not given.
void draw_batches(const BatchChoices& choices, DrawnInputs& inputs)
{
    inputs.shape->lines_used = inputs.batches->lines_used;
    if (choices.rows != BatchChoice::given) {
        inputs.config.batch =
            drawn_geometry(row_side(*inputs.shape), inputs.batches->row_ids, inputs);
    }
    if (choices.columns != BatchChoice::given) {
        inputs.config.column_batch =
            drawn_geometry(column_side(*inputs.shape),
                           inputs.batches->row_ids * inputs.batches->column_ratio, inputs);
    }
}

/// As the job has them.
DrawnBatches batches_of(const AlxConfig& config)
{
    const auto row_ids = static_cast<double>(config.batch.slots());
    const auto column_ids = static_cast<double>(config.column_batch.slots());
    return {row_ids, column_ids / row_ids, static_cast<double>(config.batch.line_length)};
}

/// Which batches the authors used is not known. Central is what the library's defaults give, but
/// for the columns, whose batches have a size of their own and longer rows to hold.
void add_batches(const Job& job, std::vector<JobUnknown>& unknowns)
{
    const auto add = [&](const char* name, const model::UnknownNumber& range, const char* unit,
                         double DrawnBatches::*field) {
        unknowns.push_back({number_unknown(name, range, unit, UnknownOf::run),
                            [field](DrawnInputs& inputs, double value) {
                                if (!inputs.batches) {
                                    inputs.batches = batches_of(inputs.config);
                                }
                                (*inputs.batches).*field = value;
                            }});
    };
    const bool rows = job.batch_choices.rows != BatchChoice::given;
    const bool columns = job.batch_choices.columns != BatchChoice::given;
    if (!job.shape || !job.shape->published || (!rows && !columns)) {
        return; // one's own are as they are chosen, for the longest row and column taken to be
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

/// Nobody says how long the longest row is. No row is longer than the table is wide; where such
/// rows are refused, the study says that all fit their batches.
model::UnknownNumber longest_range(const AlxConfig& config, const SideShape& side,
                                   const BatchGeometry& geometry)
{
    constexpr double low = 2e4;
    constexpr double high = 3e7;
    const auto central = static_cast<double>(side.longest);
    const double mean = static_cast<double>(side.links) / static_cast<double>(side.rows);
    double most = std::min(high, static_cast<double>(side.widest));
    if (config.long_rows == LongRows::refuse) {
        most = std::min(most, static_cast<double>(geometry.slots()));
    }
    // A power law has a longest row well above the mean.
    return {std::min(central, std::max(low, 4 * mean)), central, std::max(central, most)};
}

/// In halves of a decade from the central value, since lengths are sampled anew for each.
void add_longest(const char* name, const model::UnknownNumber& range,
                 const std::function<void(WorkloadShape&, std::int64_t)>& set,
                 std::vector<JobUnknown>& unknowns)
{
    if (range.low == range.high) {
        return;
    }
    const double central = range.central;
    unknowns.push_back({number_unknown(name, range, "links", UnknownOf::run),
                        [set, central](DrawnInputs& inputs, double value) {
                            const double halves = std::round(2 * portable::log10(value / central));
                            set(*inputs.shape,
                                std::llround(central * portable::pow(10.0, halves / 2)));
                        }});
}

void add_longest(const Job& job, std::vector<JobUnknown>& unknowns)
{
    const WorkloadShape& shape = *job.shape;
    const AlxConfig& config = job.config;
    const auto row = longest_range(config, row_side(shape), config.batch);
    if (shape.published) { // their rows and columns are the same pages
        add_longest(
            "longest row", row,
            [](WorkloadShape& drawn, std::int64_t links) {
                drawn.longest_row = drawn.longest_column = links;
            },
            unknowns);
        return;
    }
    if (!shape.longest_row_given) {
        add_longest(
            "longest row", row,
            [](WorkloadShape& drawn, std::int64_t links) { drawn.longest_row = links; }, unknowns);
    }
    if (!shape.longest_column_given) {
        add_longest(
            "longest column", longest_range(config, column_side(shape), config.column_batch),
            [](WorkloadShape& drawn, std::int64_t links) { drawn.longest_column = links; },
            unknowns);
    }
}

void add_counts(const Job& job, std::vector<JobUnknown>& unknowns)
{
    if (!job.shape) {
        return;
    }
    const auto iterations = [&](const char* name, const CgAssumption& assumed,
                                std::int64_t CgConfig::*field) {
        const model::UnknownNumber range{static_cast<double>(assumed.low),
                                         static_cast<double>(job.config.cg.*field),
                                         static_cast<double>(assumed.high)};
        unknowns.push_back({whole_unknown(name, range, "iterations", UnknownOf::run),
                            [field](DrawnInputs& inputs, double value) {
                                inputs.config.cg.*field = std::llround(value);
                            }});
    };
    if (job.config.solver == "cg" && !job.config.cg.iterations_given) {
        iterations("CG iterations, rows", row_cg_iterations, &CgConfig::assumed_row_iterations);
        iterations("CG iterations, columns", column_cg_iterations,
                   &CgConfig::assumed_column_iterations);
    }
    add_longest(job, unknowns);
}

/// What of the hosts' input the study does not say.
void add_input(const Job& job, std::vector<JobUnknown>& unknowns)
{
    for (workloads::Unknown& unknown : input_unknowns(job.input_given)) {
        double topologies::InputRates::*const rate =
            unknown.unit == "ids/s" ? &topologies::InputRates::ids_per_second
                                    : &topologies::InputRates::bytes_per_second;
        unknowns.push_back(
            {std::move(unknown),
             [rate](DrawnInputs& inputs, double value) { inputs.config.input.*rate = value; },
             rate});
    }
}

/// What the placement and the batches' links do to traffic, where sizes follow the data.
void add_traffic(const Job& job, std::vector<JobUnknown>& unknowns)
{
    const bool at_owner = scatter_strategies().create(job.config.scatter)->at_owner();
    const TrafficNeeds needs = needs_of(job.config, job.mesh);
    if (!job.shape || (!needs.any() && !at_owner)) {
        return;
    }
    const auto add = [&](const char* name, const model::UnknownNumber& range,
                         const std::function<void(TrafficAssumption&, double)>& set) {
        if (range.low < range.high) {
            unknowns.push_back({number_unknown(name, range, "", UnknownOf::run),
                                [set](DrawnInputs& inputs, double value) {
                                    set(inputs.config.assumed_traffic, value);
                                }});
        }
    };
    const PlacementAssumption placed = assumed_placement(job.config, *job.shape, job.mesh);
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

std::vector<workloads::Unknown> input_unknowns(const InputGiven& given)
{
    std::vector<workloads::Unknown> unknowns;
    const auto add = [&](const char* name, const InputAssumption& assumed, const char* unit,
                         const char* field) {
        unknowns.push_back(number_unknown(name, {assumed.low, assumed.central, assumed.high}, unit,
                                          UnknownOf::run));
        unknowns.back().source = assumed.source;
        unknowns.back().pointer = std::string("/workload/alx/input/") + field;
    };
    if (!given.ids) {
        add("ids that a host reads", host_ids_per_second, "ids/s", "ids_per_second");
    }
    if (!given.bytes) {
        add("bytes that a host reads", host_bytes_per_second, "B/s", "bytes_per_second");
    }
    return unknowns;
}

std::vector<JobUnknown> unknowns_of(const Job& job)
{
    std::vector<JobUnknown> unknowns;
    add_batches(job, unknowns);
    add_counts(job, unknowns);
    add_input(job, unknowns);
    add_traffic(job, unknowns);
    return unknowns;
}

DrawnInputs drawn_inputs(const Job& job, const std::vector<JobUnknown>& unknowns,
                         const workloads::DrawnValues& values)
{
    DrawnInputs inputs{job.config, job.shape, std::nullopt};
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        if (values.at(i)) {
            unknowns[i].set(inputs, *values[i]);
        }
    }
    return inputs;
}

topologies::InputRates drawn_input_rates(const Job& job, const std::vector<JobUnknown>& unknowns,
                                         const workloads::DrawnValues& values)
{
    topologies::InputRates rates = job.config.input;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        if (values.at(i) && unknowns[i].rate != nullptr) {
            rates.*unknowns[i].rate = *values[i];
        }
    }
    return rates;
}

double links_lost_share(const Job& job, DrawnInputs inputs)
{
    if (!inputs.shape) {
        return (job.program.rows.links_lost + job.program.columns.links_lost) / 2;
    }
    if (inputs.batches) {
        draw_batches(job.batch_choices, inputs);
    }
    const AlxConfig& config = inputs.config;
    const auto lost = [&](const SideShape& side, const BatchGeometry& batch, std::uint64_t seed) {
        return batch_side(side, batch, config.semantics.admission, seed, config.long_rows)
            .links_lost;
    };
    return (lost(row_side(*inputs.shape), config.batch, config.seed) +
            lost(column_side(*inputs.shape), config.column_batch, config.seed + 1)) /
           2;
}

bool rows_fit(const Job& job, DrawnInputs inputs)
{
    if (!inputs.shape) {
        return job.program.rows.links_lost == 0 && job.program.columns.links_lost == 0;
    }
    if (inputs.batches) {
        draw_batches(job.batch_choices, inputs);
    }
    return row_side(*inputs.shape).longest <= inputs.config.batch.slots() &&
           column_side(*inputs.shape).longest <= inputs.config.column_batch.slots();
}

model::Program program_of(const Job& job, DrawnInputs inputs)
{
    if (!inputs.shape) {
        return timing_program(inputs.config, job.program.rows, job.program.columns, job.mesh,
                              nullptr, &job.program)
            .epoch;
    }
    if (inputs.batches) {
        draw_batches(job.batch_choices, inputs);
    }
    return timing_program(inputs.config, *inputs.shape, job.mesh, nullptr, &job.program).epoch;
}

} // namespace alxsim::alx
