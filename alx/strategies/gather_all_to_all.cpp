// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"

namespace alxsim::alx {
namespace {

/// Asks the owners: the host sends a batch's distinct ids along, each goes to its owner, who looks
/// the row up and sends it back once, and the device spreads the rows over its slots. Sizes follow
/// the data (a ragged all-to-all).
class AllToAllGather : public GatherStrategy {
public:
    TrafficNeeds needs(const AlxConfig&, const DeviceMesh&) const override
    {
        TrafficNeeds needs;
        needs.rows = true;
        return needs;
    }

    Bytes extra_infeed(const GatherShape& shape) const override
    {
        return Bytes(largest(shape.traffic->rows.arriving) * id_bytes);
    }

    int add_ops(model::OpGraph& graph, const GatherShape& shape, int after) const override
    {
        if (shape.devices == 1) {
            return add_local_gather(graph, shape, after);
        }
        const int asked = ask_owners(graph, shape, after);
        const int served = look_up(graph, shape, asked);
        return spread(graph, shape, send_rows(graph, shape, served));
    }

private:
    static model::Collective over_group(const GatherShape& shape)
    {
        return over_rows(model::CollectiveKind::all_to_all, Bytes(0), *shape.mesh);
    }
    static std::int64_t asked_rows(const GatherShape& shape)
    {
        return largest(shape.traffic->rows.arriving);
    }
    static std::int64_t served_rows(const GatherShape& shape)
    {
        return largest(shape.traffic->rows.leaving);
    }

    static int ask_owners(model::OpGraph& graph, const GatherShape& shape, int after)
    {
        return graph.add({"ask owners",
                          "gather.ids",
                          all_to_all(shape.traffic->rows, Bytes(id_bytes), Direction::to_owner,
                                     over_group(shape), shape.devices),
                          {{"batch.distinct_ids", Bytes(asked_rows(shape) * id_bytes)}},
                          {{"gather.asked_ids", Bytes(served_rows(shape) * id_bytes)}},
                          {after},
                          nullptr});
    }

    static int look_up(model::OpGraph& graph, const GatherShape& shape, int after)
    {
        model::RowGather gather;
        gather.row_bytes = shape.row_bytes();
        gather.table_rows = shape.shard_rows;
        model::Op op{"look up asked rows",
                     "gather.rows",
                     gather,
                     {{shape.table, shape.table_bytes()},
                      {"gather.asked_ids", Bytes(served_rows(shape) * id_bytes)}},
                     {{"gather.served", shape.row_bytes() * served_rows(shape)}},
                     {after},
                     nullptr};
        set_rows(op, shape.traffic->rows.leaving);
        return graph.add(std::move(op));
    }

    static int send_rows(model::OpGraph& graph, const GatherShape& shape, int after)
    {
        return graph.add({"send rows to askers",
                          "gather.combine",
                          all_to_all(shape.traffic->rows, shape.row_bytes(), Direction::to_asker,
                                     over_group(shape), shape.devices),
                          {{"gather.served", shape.row_bytes() * served_rows(shape)}},
                          {{"gather.distinct", shape.row_bytes() * asked_rows(shape)}},
                          {after},
                          nullptr});
    }

    static int spread(model::OpGraph& graph, const GatherShape& shape, int after)
    {
        return graph.add({"spread rows over slots",
                          "gather.rows",
                          model::RowGather{shape.slots, shape.row_bytes(),
                                           std::max<std::int64_t>(1, asked_rows(shape)),
                                           model::AccessPattern::uniform, shape.slots},
                          {{"gather.distinct", shape.row_bytes() * asked_rows(shape)},
                           {shape.ids, Bytes(shape.slots * id_bytes)}},
                          {{shape.rows, shape.batch_bytes()}},
                          {after},
                          nullptr});
    }
};

} // namespace

std::unique_ptr<const GatherStrategy> make_all_to_all_gather();

std::unique_ptr<const GatherStrategy> make_all_to_all_gather()
{
    return std::make_unique<AllToAllGather>();
}

} // namespace alxsim::alx
