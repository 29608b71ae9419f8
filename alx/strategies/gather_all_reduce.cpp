// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {
namespace {

/// The released `direct_gather`: all devices' batches are looked up at once, one all-reduce
/// combines the partial rows of all, and each device cuts out its own batch. Needs the memory of
/// all batches.
class AllReduceGather : public GatherStrategy {
public:
    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after);
        }
        const Bytes all_rows = shape.batch_bytes() * shape.devices;
        const int masked = add_lookup_for_all(graph, shape, after);
        const int combined =
            graph.add({"combine rows",
                       "gather.combine",
                       over_rows(model::CollectiveKind::all_reduce, all_rows, *shape.mesh),
                       {{"gather.looked_up", all_rows}},
                       {{"gather.combined", all_rows}},
                       {masked},
                       nullptr});
        return graph.add(spmd::vector_op("cut out own rows", "gather.combine",
                                         shape.batch_numbers(), 1, {{"gather.combined", all_rows}},
                                         {{shape.rows, shape.batch_bytes()}}, {combined}));
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_all_reduce_gather();

std::unique_ptr<const GatherStrategy> make_all_reduce_gather()
{
    return std::make_unique<AllReduceGather>();
}

} // namespace alxsim::alx
