// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"

namespace alxsim::alx {
namespace {

/// Every device keeps a copy of the whole fixed table, where it fits: all-gathered once before each
/// half, and looked up without asking anybody.
class ReplicatedGather : public GatherStrategy {
public:
    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after);
        }
        return graph.add({"look up rows of the copy",
                          "gather.rows",
                          model::RowGather{shape.slots, shape.row_bytes(), copy_rows(shape),
                                           model::AccessPattern::uniform, shape.slots},
                          {copy_of(shape), {shape.ids, Bytes(shape.slots * id_bytes)}},
                          {{shape.rows, shape.batch_bytes()}},
                          {after},
                          nullptr});
    }

    std::optional<model::OpGraph> before_half(const GatherShape& shape) const override
    {
        if (shape.devices == 1) {
            return std::nullopt;
        }
        const model::BufferUse copy = copy_of(shape);
        model::OpGraph graph;
        graph.name = "copy of the " + shape.table;
        graph.add({"copy all shards",
                   "gather.combine",
                   over_rows(model::CollectiveKind::all_gather, copy.touched, *shape.mesh),
                   {{shape.table, shape.table_bytes()}},
                   {copy},
                   {},
                   nullptr});
        return graph;
    }

private:
    static std::int64_t copy_rows(const GatherShape& shape)
    {
        return shape.shard_rows * shape.devices;
    }
    static model::BufferUse copy_of(const GatherShape& shape)
    {
        return {"copies." + shape.table, shape.table_bytes() * shape.devices};
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_replicated_gather();

std::unique_ptr<const GatherStrategy> make_replicated_gather()
{
    return std::make_unique<ReplicatedGather>();
}

} // namespace alxsim::alx
