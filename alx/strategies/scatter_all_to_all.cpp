// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "spmd/linear/op_parts.h"

namespace alxsim::alx {
namespace {

/// Every solution goes to the holders of its row alone, with its id. Sizes follow the data.
class AllToAllScatter : public ScatterStrategy {
public:
    bool needs_solutions() const override { return true; }

    ScatteredRows scatter(const SolvedStep& solved) const override
    {
        ScatteredRows scattered = written_by_holders(solved);
        const MeshIndex index(solved.mesh);
        for (const SolvedRow& row : solved.rows()) {
            const auto& from = solved.mesh.coordinates[static_cast<std::size_t>(row.device)];
            for (int replica = 0; replica < solved.mesh.replicas; ++replica) {
                for (int part = 0; part < solved.mesh.embedding_shards; ++part) {
                    const int source = index.at({from.row_shard, part, from.replica});
                    const int holder = index.at({solved.own.owner(row.row), part, replica});
                    scattered.received[static_cast<std::size_t>(holder)] +=
                        holder == source ? 0 : 1;
                }
            }
        }
        return scattered;
    }

    void add_ops(model::OpGraph& graph, const ScatterShape& shape, int solved,
                 const std::vector<int>& fed,
                 std::shared_ptr<const model::Effect> effect) const override
    {
        const int sources = shape.mesh->row_shards * shape.mesh->replicas;
        ArrivedRows arrived;
        arrived.rows = arrived.owned = shape.systems;
        arrived.solutions = shape.solved;
        arrived.ids = {shape.row_ids, Bytes(2 * shape.systems * id_bytes)};
        int ready = solved;
        if (sources > 1) {
            arrived.sizes = shape.solutions->arriving;
            arrived.rows = arrived.owned = largest(arrived.sizes);
            arrived.solutions = "scatter.own_solutions";
            const Bytes ids(arrived.rows * id_bytes);
            ready = graph.add(
                {"send solutions to owners",
                 "scatter",
                 all_to_all(
                     *shape.solutions, shape.exchanged(1) + Bytes(id_bytes), Direction::to_asker,
                     over_solutions(model::CollectiveKind::all_to_all, Bytes(0), *shape.mesh),
                     sources),
                 {{shape.solved, shape.exchanged(shape.systems)}, arrived.ids},
                 {{arrived.solutions, shape.exchanged(arrived.rows)}, {"scatter.own_ids", ids}},
                 spmd::joined(solved, fed),
                 nullptr});
            arrived.ids = {"scatter.own_ids", ids};
        }
        add_writes(graph, shape, arrived, {ready}, std::move(effect));
    }
};

} // namespace

std::unique_ptr<const ScatterStrategy> make_all_to_all_scatter();

std::unique_ptr<const ScatterStrategy> make_all_to_all_scatter()
{
    return std::make_unique<AllToAllScatter>();
}

} // namespace alxsim::alx
