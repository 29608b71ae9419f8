// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"
#include "model/bounds.h"
#include "spmd/linear/op_parts.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

/// The systems made, solved and used, and nothing else.
std::shared_ptr<const model::OpGraph> solver_graph(const std::string& solver, int dim,
                                                   std::int64_t systems)
{
    alx::AlxConfig config;
    config.dim = dim;
    const Bytes vectors(systems * dim * 4);
    auto graph = std::make_shared<model::OpGraph>();
    const int made = graph->add(
        spmd::vector_op("make", "statistics", systems * dim * dim, 1, {},
                        {{"statistics.gramians", vectors * dim}, {"statistics.rhs", vectors}}, {}));
    const int solved =
        alx::solvers().create(solver)->add_ops(*graph, config, {systems, 12}, made, nullptr);
    graph->add(spmd::vector_op("use", "scatter", systems * dim, 1, {{"solve.solutions", vectors}},
                               {}, {solved}));
    return graph;
}

TEST(Solvers, SimulatedTimeIsTheEstimatedOneAndNotBelowPhysics)
{
    for (const char* chip : {"tpu_v3", "tpu_v5e"}) {
        const topologies::Machine machine = machine_of(chip, 1);
        for (const std::string& solver : alx::solvers().names()) {
            for (const auto& [dim, systems] :
                 {std::pair(16, 64), std::pair(32, 5), std::pair(64, 256), std::pair(128, 300),
                  std::pair(200, 20), std::pair(256, 64)}) {
                const auto graph = solver_graph(solver, dim, systems);
                const double in_simulator = to_seconds(simulated(machine, graph)).count();
                const double in_model = to_seconds(estimated(machine, graph)).count();
                const std::string what = std::string(chip) + " " + solver + " d " +
                                         std::to_string(dim) + " x " + std::to_string(systems);
                EXPECT_NEAR(in_model / in_simulator, 1, 1e-4) << what;
                const model::BufferPlacement placement = model::place(*graph, machine.device);
                for (const model::Op& op : graph->ops) {
                    EXPECT_GE(in_simulator,
                              model::physical_bound(op, placement, machine).count() - 1e-12)
                        << what << " " << op.name;
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::sim
