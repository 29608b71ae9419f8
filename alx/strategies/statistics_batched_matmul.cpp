// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/gather.h"
#include "alx/strategies/statistics.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {
namespace {

/// What one would write by hand: for every row one product of its own lines with themselves, summed
/// on the MXU: no window of a line ever exists. Rows are taken as of equal length, which is what
/// the same number of lines costs.
class BatchedMatmulStatistics : public StatisticsStrategy {
public:
    std::int64_t links_per_sum(const BatchGeometry& geometry) const override
    {
        return geometry.slots();
    }

    std::vector<int> add_ops(model::OpGraph& graph, const StatisticsShape& shape,
                             std::vector<int> after) const override
    {
        const std::int64_t systems = shape.geometry.rows;
        const std::int64_t dim = shape.config.dim;
        const model::BufferUse rows{shape.rows, shape.in_table(shape.slots() * dim)};
        const model::BufferUse slots{shape.line_slots, Bytes(shape.geometry.lines * id_bytes)};
        const int products =
            graph.add({"Gramians of rows",
                       "statistics",
                       shape.outer_products(systems, ceil_divide(shape.slots(), systems)),
                       {rows, slots},
                       {{"statistics.gramians", shape.in_solver(systems * dim * dim)}},
                       after,
                       nullptr});
        const int sums = graph.add(
            spmd::vector_op("sums of rows", "statistics", shape.slots() * dim, 1, {rows, slots},
                            {{"statistics.rhs", shape.in_solver(systems * dim)}}, after));
        return {products, sums};
    }
};

} // namespace

std::unique_ptr<const StatisticsStrategy> make_batched_matmul_statistics();

std::unique_ptr<const StatisticsStrategy> make_batched_matmul_statistics()
{
    return std::make_unique<BatchedMatmulStatistics>();
}

} // namespace alxsim::alx
