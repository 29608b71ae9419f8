// SPDX-License-Identifier: Apache-2.0
#include "alx/graph_parts.h"
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"

#include <cmath>

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
        return graph.add({"gather batch by batch",
                          "gather.combine",
                          loop,
                          {{shape.table, shape.table_bytes()},
                           {"gather.ids", Bytes(shape.devices * shape.slots * id_bytes)}},
                          {{shape.rows, shape.batch_bytes()}},
                          {ids},
                          nullptr});
    }

private:
    static model::OpGraph one_batch(const GatherShape& shape)
    {
        model::OpGraph body;
        body.name = "gather of one device's batch";
        const int masked = add_masked_lookup(body, shape, shape.slots, shape.slots / shape.devices,
                                             "gather.looked_up", {}, mask_is_fused(shape));
        const int combined = body.add(
            {"combine rows",
             "gather.combine",
             over_rows(model::CollectiveKind::all_reduce, shape.batch_bytes(), *shape.mesh),
             {{"gather.looked_up", shape.batch_bytes()}},
             {{"gather.combined", shape.batch_bytes()}},
             {masked},
             nullptr});
        const int kept = body.add(
            vector_op("keep own rows", "gather.combine", shape.batch_numbers(), 1,
                      {{"gather.combined", shape.batch_bytes()}, {shape.rows, shape.batch_bytes()}},
                      {{shape.rows, shape.batch_bytes()}}, {combined}));
        add_conditional_copies(body, shape, kept);
        return body;
    }

    static bool mask_is_fused(const GatherShape& shape)
    {
        constexpr double fused_passes = 3;
        return shape.loop_passes < (fused_passes + usual_loop_passes) / 2;
    }

    /// What the conditional of "keep own rows" copies although it only passes it through.
    static void add_conditional_copies(model::OpGraph& body, const GatherShape& shape, int kept)
    {
        const double passes = shape.loop_passes - usual_loop_passes;
        if (passes <= 0) {
            return;
        }
        const Bytes each_way(
            std::llround(passes / 2 * static_cast<double>(shape.batch_bytes().count())));
        body.add({"copies of the loop's conditional",
                  "gather.combine",
                  model::Copy{topologies::Tier::hbm, topologies::Tier::hbm, each_way},
                  {{shape.rows, shape.batch_bytes()}},
                  {{"gather.carried", shape.batch_bytes()}},
                  {kept},
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
