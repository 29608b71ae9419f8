// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/statistics.h"

namespace alxsim::alx {
namespace {

/// The released code: outer products line by line, written as d x d windows, and a segment sum over
/// the lines of each row.
class SegmentSumStatistics : public StatisticsStrategy {
public:
    std::int64_t links_per_sum(const BatchGeometry& geometry) const override
    {
        return geometry.line_length;
    }

    std::vector<int> add_ops(model::OpGraph& graph, const StatisticsShape& shape,
                             std::vector<int> after) const override
    {
        const std::int64_t lines = shape.geometry.lines;
        const std::int64_t dim = shape.config.dim;
        const Bytes rows = shape.in_solver(shape.slots() * dim);
        const int widened = add_widening(graph, shape, std::move(after));
        const int products =
            graph.add({"outer products",
                       "statistics",
                       shape.outer_products(lines, shape.geometry.line_length),
                       {{"statistics.rows", rows}},
                       {{"statistics.line_gramians", shape.in_solver(lines * dim * dim)}},
                       {widened},
                       nullptr});
        const int sums = graph.add(vector_op(
            "sums of rows", "statistics", shape.slots() * dim, 1, {{"statistics.rows", rows}},
            {{"statistics.line_sums", shape.in_solver(lines * dim)}}, {widened}));
        const int gramians =
            add_segment_sum(graph, shape, "sum outer products by row", "statistics.line_gramians",
                            "statistics.gramians", dim * dim, products);
        const int rhs = add_segment_sum(graph, shape, "sum rows by row", "statistics.line_sums",
                                        "statistics.rhs", dim, sums);
        return {gramians, rhs};
    }

private:
    /// A serial read-modify-write of windows of `numbers`.
    static int add_segment_sum(model::OpGraph& graph, const StatisticsShape& shape,
                               model::Name name, model::Name from, model::Name to,
                               std::int64_t numbers, int after)
    {
        const std::int64_t lines = shape.geometry.lines;
        const std::int64_t systems = shape.geometry.rows;
        return graph.add({name,
                          "statistics",
                          model::RowScatter{lines, shape.in_solver(numbers), systems, true},
                          {{from, shape.in_solver(lines * numbers)},
                           {shape.line_slots, Bytes(lines * id_bytes)}},
                          {{to, shape.in_solver(systems * numbers)}},
                          {after},
                          nullptr});
    }
};

} // namespace

std::unique_ptr<const StatisticsStrategy> make_segment_sum_statistics();

std::unique_ptr<const StatisticsStrategy> make_segment_sum_statistics()
{
    return std::make_unique<SegmentSumStatistics>();
}

} // namespace alxsim::alx
