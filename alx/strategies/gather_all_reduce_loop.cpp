// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"

namespace alxsim::alx {
namespace {

/// The released default (als.py, `loop_gather`): one device's batch after another is looked up by
/// all, the partial rows are all-reduced, and each device keeps its own batch. Needs the memory of
/// one batch.
class AllReduceLoopGather : public GatherStrategy {
public:
    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after);
        }
        const int ids = add_id_exchange(graph, shape, after);
        model::Repeat loop{shape.devices, "", std::make_shared<model::OpGraph>(one_batch(shape))};
        const int gathered =
            graph.add({"gather batch by batch",
                       "gather.combine",
                       loop,
                       {{shape.table, shape.table_bytes()},
                        {"gather.ids", Bytes(shape.devices * shape.slots * id_bytes)}},
                       {{"gather.combined", shape.batch_bytes()}},
                       {ids},
                       nullptr});
        return keep_own(graph, shape, gathered);
    }

private:
    static model::OpGraph one_batch(const GatherShape& shape)
    {
        model::OpGraph body;
        body.name = "gather of one device's batch";
        const int masked = add_masked_lookup(body, shape, shape.slots, shape.slots / shape.devices,
                                             "gather.looked_up", {});
        body.add({"combine rows",
                  "gather.combine",
                  over_rows(model::CollectiveKind::all_reduce, shape.batch_bytes(), *shape.mesh),
                  {{"gather.looked_up", shape.batch_bytes()}},
                  {{"gather.combined", shape.batch_bytes()}},
                  {masked},
                  nullptr});
        return body;
    }

    /// The conditional of "keep own rows": in a device's own turn it copies the batch, in others it
    /// passes an alias on (libtpu 0.0.42.1). Once a step, then, in whichever turn.
    static int keep_own(model::OpGraph& graph, const GatherShape& shape, int gathered)
    {
        return graph.add(
            {"keep own rows",
             "gather.combine",
             model::Copy{topologies::Tier::hbm, topologies::Tier::hbm, shape.batch_bytes()},
             {{"gather.combined", shape.batch_bytes()}},
             {{shape.rows, shape.batch_bytes()}},
             {gathered},
             nullptr});
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_all_reduce_loop_gather();

std::unique_ptr<const GatherStrategy> make_all_reduce_loop_gather()
{
    return std::make_unique<AllReduceLoopGather>();
}

} // namespace alxsim::alx
