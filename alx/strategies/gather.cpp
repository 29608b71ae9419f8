// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/gather.h"

#include "alx/strategies/exchange_ops.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {

std::unique_ptr<const GatherStrategy> make_all_reduce_loop_gather();
std::unique_ptr<const GatherStrategy> make_all_reduce_gather();
std::unique_ptr<const GatherStrategy> make_reduce_scatter_gather();
std::unique_ptr<const GatherStrategy> make_all_to_all_gather();
std::unique_ptr<const GatherStrategy> make_ship_statistics_gather();
std::unique_ptr<const GatherStrategy> make_replicated_gather();

const Registry<GatherStrategy>& gather_strategies()
{
    static const Registry<GatherStrategy> registry(
        "/workload/alx/gather", {{"all_reduce_loop", make_all_reduce_loop_gather},
                                 {"all_reduce", make_all_reduce_gather},
                                 {"reduce_scatter", make_reduce_scatter_gather},
                                 {"all_to_all", make_all_to_all_gather},
                                 {"ship_statistics", make_ship_statistics_gather},
                                 {"replicated", make_replicated_gather}});
    return registry;
}

namespace {

model::BufferUse ids_of(const GatherShape& shape)
{
    return shape.devices == 1
               ? model::BufferUse{shape.ids, Bytes(shape.slots * id_bytes)}
               : model::BufferUse{"gather.ids", Bytes(shape.devices * shape.slots * id_bytes)};
}

} // namespace

int add_id_exchange(model::OpGraph& graph, const GatherShape& shape, int after)
{
    if (shape.devices == 1) {
        return after;
    }
    const model::BufferUse all_ids = ids_of(shape);
    return graph.add({"exchange ids",
                      "gather.ids",
                      over_rows(model::CollectiveKind::all_gather, all_ids.touched, *shape.mesh),
                      {{shape.ids, Bytes(shape.slots * id_bytes)}},
                      {all_ids},
                      {after},
                      nullptr});
}

int add_masked_lookup(model::OpGraph& graph, const GatherShape& shape, std::int64_t slots,
                      std::int64_t owned, model::Name output, std::vector<int> after)
{
    const Bytes bytes = shape.row_bytes() * slots;
    const model::BufferUse ids{ids_of(shape).buffer,
                               Bytes(slots * id_bytes)}; // those looked up now
    const model::BufferUse mask{"gather.mask", model::size_of(shape.dtype) * slots};
    const model::BufferUse wrapped{"gather.wrapped_ids", ids.touched};
    const model::BufferUse clamped{"gather.clamped_ids", ids.touched};
    const int masks = graph.add(spmd::vector_op("mask of own ids", "gather.rows", slots, 2, {ids},
                                                {mask}, std::move(after)));
    const int wraps = graph.add(
        spmd::vector_op("wrap negative ids", "gather.rows", slots, 3, {ids}, {wrapped}, {masks}));
    const int clamps = graph.add(
        spmd::vector_op("clamp ids", "gather.rows", slots, 2, {wrapped}, {clamped}, {wraps}));
    const int looked_up =
        graph.add({"look up rows",
                   "gather.rows",
                   row_lookup(shape.transfer, {slots, shape.row_bytes(), shape.shard_rows,
                                               model::AccessPattern::clamped, owned}),
                   {{shape.table, shape.table_bytes()}, clamped},
                   {{"gather.unmasked", bytes}},
                   {clamps},
                   nullptr});
    return graph.add(spmd::vector_op("mask rows of others", "gather.rows", slots * shape.dim, 1,
                                     {{"gather.unmasked", bytes}, mask}, {{output, bytes}},
                                     {looked_up}));
}

int add_local_gather(model::OpGraph& graph, const GatherShape& shape, int after)
{
    return add_masked_lookup(graph, shape, shape.slots, shape.slots, shape.rows, {after});
}

int add_lookup_for_all(model::OpGraph& graph, const GatherShape& shape, int after)
{
    const int ids = add_id_exchange(graph, shape, after);
    return add_masked_lookup(graph, shape, shape.devices * shape.slots, shape.slots,
                             "gather.looked_up", {ids});
}

} // namespace alxsim::alx
