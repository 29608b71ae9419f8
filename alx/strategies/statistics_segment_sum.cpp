// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/gather.h"
#include "alx/strategies/statistics.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {
namespace {

/// A line's sum of rows is added where it belongs in VMEM, one line after another: 7 bundles, of
/// two operations each on v3 (machine code of libtpu 0.0.42.1).
constexpr double operations_of_line = 14;
/// A line alone takes a register of 8 x 128.
constexpr std::int64_t register_numbers = 1024;

/// The released code: outer products line by line, written as d x d windows, and a segment sum over
/// the lines of each row that starts from alpha G + reg I. As the TPU's compiler makes it (libtpu
/// 0.0.42.1): the conversion to f32 is part of what reads the rows, the windows are added in groups
/// of 16, which are read, added to and written back one group after another.
class SegmentSumStatistics : public StatisticsStrategy {
public:
    std::int64_t links_per_sum(const BatchGeometry& geometry) const override
    {
        return geometry.line_length;
    }

    bool adds_to_initial_sums() const override { return true; }

    std::vector<int> add_ops(model::OpGraph& graph, const StatisticsShape& shape,
                             std::vector<int> after) const override
    {
        const std::int64_t lines = shape.geometry.lines;
        const std::int64_t dim = shape.config.dim;
        const model::BufferUse rows{shape.rows, shape.in_table(shape.slots() * dim)};
        const int sums = graph.add(spmd::vector_op(
            "sums of rows", "statistics", shape.slots() * dim, 1, {rows},
            {{"statistics.line_sums", shape.in_solver(lines * dim)}}, std::move(after)));
        const int products =
            graph.add({"outer products",
                       "statistics",
                       shape.outer_products(lines, shape.geometry.line_length),
                       {rows},
                       {{"statistics.line_gramians", shape.in_solver(lines * dim * dim)}},
                       {add_up_sums(graph, shape, sums)},
                       nullptr});
        return {add_up_windows(graph, shape, products)};
    }

private:
    static int add_up_sums(model::OpGraph& graph, const StatisticsShape& shape, int after)
    {
        const std::int64_t lines = shape.geometry.lines;
        const std::int64_t dim = shape.config.dim;
        const std::int64_t registers = lines * ceil_divide(dim, 128);
        return graph.add(spmd::vector_op(
            "sum rows by row", "statistics", registers * register_numbers, operations_of_line,
            {{"statistics.line_sums", shape.in_solver(lines * dim)},
             {shape.line_slots, Bytes(lines * id_bytes)}},
            {{"statistics.rhs", shape.in_solver(shape.geometry.rows * dim)}}, {after}));
    }

    static int add_up_windows(model::OpGraph& graph, const StatisticsShape& shape, int after)
    {
        const std::int64_t lines = shape.geometry.lines;
        const std::int64_t square = std::int64_t{shape.config.dim} * shape.config.dim;
        return graph.add(
            {"sum outer products by row",
             "statistics",
             model::RowScatter{lines, shape.in_solver(square), shape.geometry.rows, true},
             {{"statistics.line_gramians", shape.in_solver(lines * square)},
              {shape.line_slots, Bytes(lines * id_bytes)}},
             {{"statistics.gramians", shape.in_solver(shape.geometry.rows * square)}},
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
