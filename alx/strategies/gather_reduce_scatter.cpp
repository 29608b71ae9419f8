// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {
namespace {

/// As `all_reduce`, but each device receives only the sum for its own batch: half the bytes. (XLA
/// does not make this of the released all-reduce and cut: libtpu 0.0.42.1, 8 to 256 cores.)
class ReduceScatterGather : public GatherStrategy {
public:
    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after);
        }
        const Bytes all_rows = shape.batch_bytes() * shape.devices;
        const int masked = add_lookup_for_all(graph, shape, after);
        return graph.add({"combine rows",
                          "gather.combine",
                          over_rows(model::CollectiveKind::reduce_scatter, all_rows, *shape.mesh),
                          {{"gather.looked_up", all_rows}},
                          {{shape.rows, shape.batch_bytes()}},
                          {masked},
                          nullptr});
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_reduce_scatter_gather();

std::unique_ptr<const GatherStrategy> make_reduce_scatter_gather()
{
    return std::make_unique<ReduceScatterGather>();
}

} // namespace alxsim::alx
