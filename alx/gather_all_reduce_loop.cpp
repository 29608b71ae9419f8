// SPDX-License-Identifier: Apache-2.0
#include "alx/exchange_ops.h"
#include "alx/gather.h"
#include "alx/graph_parts.h"

namespace alxsim::alx {
namespace {

/// The released default (als.py, `loop_gather`): one device's batch after another is looked up by
/// all, the partial rows are all-reduced, and each device keeps its own batch. Needs the memory of
/// one batch.
class AllReduceLoopGather : public GatherStrategy {
public:
    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after,
                std::shared_ptr<const model::Effect> effect) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after, std::move(effect));
        }
        const int ids = add_id_exchange(graph, shape, after);
        model::Repeat loop{shape.devices, "", std::make_shared<model::OpGraph>(one_batch(shape))};
        return graph.add({"gather batch by batch",
                          "gather.combine",
                          loop,
                          {{shape.table, shape.table_bytes()},
                           {"gather.ids", Bytes(shape.devices * shape.slots * id_bytes)}},
                          {{shape.rows, shape.batch_bytes()}},
                          {ids},
                          std::move(effect)});
    }

private:
    static model::OpGraph one_batch(const GatherShape& shape)
    {
        model::OpGraph body;
        body.name = "gather of one device's batch";
        const int masked = add_masked_lookup(body, shape, shape.slots, shape.slots / shape.devices,
                                             "gather.looked_up", {});
        const int combined =
            body.add({"combine rows",
                      "gather.combine",
                      over_rows(model::CollectiveKind::all_reduce, shape.batch_bytes(), shape.mesh),
                      {{"gather.looked_up", shape.batch_bytes()}},
                      {{"gather.combined", shape.batch_bytes()}},
                      {masked},
                      nullptr});
        body.add(
            vector_op("keep own rows", "gather.combine", shape.batch_numbers(), 1,
                      {{"gather.combined", shape.batch_bytes()}, {shape.rows, shape.batch_bytes()}},
                      {{shape.rows, shape.batch_bytes()}}, {combined}));
        return body;
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_all_reduce_loop_gather();

std::unique_ptr<const GatherStrategy> make_all_reduce_loop_gather()
{
    return std::make_unique<AllReduceLoopGather>();
}

} // namespace alxsim::alx
