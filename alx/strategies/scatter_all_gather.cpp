// SPDX-License-Identifier: Apache-2.0
#include "alx/strategies/exchange_ops.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"

namespace alxsim::alx {
namespace {

/// The released scatter: every device gets all solutions and writes those of its own rows.
class AllGatherScatter : public ScatterStrategy {
public:
    ScatteredRows scatter(const SolvedStep& solved) const override
    {
        ScatteredRows scattered = written_by_holders(solved);
        for (std::int64_t& received : scattered.received) {
            received = solved.slots() * (sources(solved.mesh) - 1);
        }
        return scattered;
    }

    void add_ops(model::OpGraph& graph, const ScatterShape& shape, int solved,
                 const std::vector<int>& fed,
                 std::shared_ptr<const model::Effect> effect) const override
    {
        ArrivedRows arrived;
        arrived.rows = shape.systems * sources(*shape.mesh);
        arrived.owned = shape.systems * shape.mesh->replicas;
        arrived.masked = true;
        arrived.solutions = shape.solved;
        arrived.ids = {shape.row_ids, Bytes(2 * shape.systems * id_bytes)};
        std::vector<int> ready{solved};
        if (sources(*shape.mesh) > 1) {
            arrived.solutions = "scatter.all_solutions";
            const model::BufferUse all_ids{"scatter.all_ids", Bytes(arrived.rows * id_bytes)};
            ready = {add_all_gather(graph, shape, "exchange solutions",
                                    {shape.solved, shape.exchanged(shape.systems)},
                                    {arrived.solutions, shape.exchanged(arrived.rows)}, {solved}),
                     add_all_gather(graph, shape, "exchange row ids", arrived.ids, all_ids, fed)};
            arrived.ids = all_ids;
        }
        add_writes(graph, shape, arrived, std::move(ready), std::move(effect));
    }

private:
    /// Devices that solve for the columns that a device keeps.
    static std::int64_t sources(const DeviceMesh& mesh) { return mesh.row_shards * mesh.replicas; }

    static int add_all_gather(model::OpGraph& graph, const ScatterShape& shape, model::Name name,
                              const model::BufferUse& from, const model::BufferUse& to,
                              std::vector<int> after)
    {
        return graph.add(
            {name,
             "scatter",
             over_solutions(model::CollectiveKind::all_gather, to.touched, *shape.mesh),
             {from},
             {to},
             std::move(after),
             nullptr});
    }
};

} // namespace

std::unique_ptr<const ScatterStrategy> make_all_gather_scatter();

std::unique_ptr<const ScatterStrategy> make_all_gather_scatter()
{
    return std::make_unique<AllGatherScatter>();
}

} // namespace alxsim::alx
