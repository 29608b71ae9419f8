// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/scatter.h"

#include "alx/strategies/exchange_ops.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {

std::unique_ptr<const ScatterStrategy> make_all_gather_scatter();
std::unique_ptr<const ScatterStrategy> make_all_to_all_scatter();
std::unique_ptr<const ScatterStrategy> make_owner_computes_scatter();

const Registry<ScatterStrategy>& scatter_strategies()
{
    static const Registry<ScatterStrategy> registry(
        "/workload/alx/scatter", {{"all_gather", make_all_gather_scatter},
                                  {"all_to_all", make_all_to_all_scatter},
                                  {"owner_computes", make_owner_computes_scatter}});
    return registry;
}

namespace {

void set_sizes(model::Op& op, const ArrivedRows& arrived)
{
    if (!arrived.sizes.empty()) {
        set_rows(op, arrived.sizes);
    }
}

/// The released code adds what is new: it looks up all rows in its own shard, as the gather does,
/// subtracts, masks, and adds.
int add_residuals(model::OpGraph& graph, const ScatterShape& shape, const ArrivedRows& arrived,
                  std::vector<int> after)
{
    const Bytes bytes = shape.in_table(arrived.rows);
    const model::AccessPattern pattern =
        arrived.masked ? model::AccessPattern::clamped : model::AccessPattern::uniform;
    model::Op look_up{"look up old rows",
                      "scatter",
                      row_lookup(shape.transfer, {arrived.rows, shape.in_table(1), shape.shard_rows,
                                                  pattern, arrived.owned}),
                      {{shape.table, shape.in_table(shape.shard_rows)}, arrived.ids},
                      {{"scatter.old", bytes}},
                      std::move(after),
                      nullptr};
    set_sizes(look_up, arrived);
    const int old = graph.add(std::move(look_up));
    return graph.add(spmd::vector_op(
        "residuals of own rows", "scatter", arrived.rows * shape.dim, 2,
        {{arrived.solutions, shape.exchanged(arrived.rows)}, {"scatter.old", bytes}, arrived.ids},
        {{"scatter.masked", bytes}}, {old}));
}

} // namespace

void add_writes(model::OpGraph& graph, const ScatterShape& shape, const ArrivedRows& arrived,
                std::vector<int> after, std::shared_ptr<const model::Effect> effect)
{
    const int masked =
        shape.adds ? add_residuals(graph, shape, arrived, std::move(after))
                   : graph.add(spmd::vector_op(
                         arrived.masked ? "mask rows of others" : "cast rows to the table's dtype",
                         "scatter", arrived.rows * shape.dim, 1,
                         {{arrived.solutions, shape.exchanged(arrived.rows)}, arrived.ids},
                         {{"scatter.masked", shape.in_table(arrived.rows)}}, std::move(after)));
    model::Op write{"write own rows",
                    "scatter",
                    model::RowScatter{arrived.rows, shape.in_table(1), shape.shard_rows, shape.adds,
                                      arrived.written()},
                    {{"scatter.masked", shape.in_table(arrived.rows)}, arrived.ids},
                    {{shape.table, shape.in_table(shape.shard_rows)}},
                    {masked},
                    std::move(effect)};
    set_sizes(write, arrived);
    graph.add(std::move(write));
}

} // namespace alxsim::alx
