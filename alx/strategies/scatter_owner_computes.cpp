// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "spmd/linear/op_parts.h"

#include <stdexcept>

namespace alxsim::alx {
namespace {

/// Batches are formed at the owners of their rows: nothing to send, but to the other holders where
/// the table has replicas.
class OwnerComputesScatter : public ScatterStrategy {
public:
    bool at_owner() const override { return true; }

    /// Throws std::logic_error for a row that was not solved at its owner: nothing would send it.
    ScatteredRows scatter(const SolvedStep& solved) const override
    {
        for (const SolvedRow& row : solved.rows()) {
            const auto& at = solved.mesh.coordinates[static_cast<std::size_t>(row.device)];
            if (at.row_shard != solved.own.owner(row.row)) {
                throw std::logic_error("owner_computes: row " + std::to_string(row.row) +
                                       " was solved at another shard");
            }
        }
        ScatteredRows scattered = written_by_holders(solved);
        for (std::int64_t& received : scattered.received) {
            received = solved.slots() * (solved.mesh.replicas - 1);
        }
        return scattered;
    }

    void add_ops(model::OpGraph& graph, const ScatterShape& shape, int solved,
                 const std::vector<int>& fed,
                 std::shared_ptr<const model::Effect> effect) const override
    {
        ArrivedRows arrived;
        arrived.rows = arrived.owned = shape.systems * shape.mesh->replicas;
        arrived.solutions = shape.solved;
        arrived.ids = {shape.row_ids, Bytes(2 * shape.systems * id_bytes)};
        int ready = solved;
        if (shape.mesh->replicas > 1) {
            arrived.solutions = "scatter.all_solutions";
            const model::BufferUse all_ids{"scatter.all_ids", Bytes(arrived.rows * id_bytes)};
            ready = graph.add(
                {"exchange solutions between replicas",
                 "scatter",
                 over_replicas(model::CollectiveKind::all_gather,
                               shape.exchanged(arrived.rows) + all_ids.touched, *shape.mesh),
                 {{shape.solved, shape.exchanged(shape.systems)}, arrived.ids},
                 {{arrived.solutions, shape.exchanged(arrived.rows)}, all_ids},
                 spmd::joined(solved, fed),
                 nullptr});
            arrived.ids = all_ids;
        }
        add_writes(graph, shape, arrived, {ready}, std::move(effect));
    }
};

} // namespace

std::unique_ptr<const ScatterStrategy> make_owner_computes_scatter();

std::unique_ptr<const ScatterStrategy> make_owner_computes_scatter()
{
    return std::make_unique<OwnerComputesScatter>();
}

} // namespace alxsim::alx
