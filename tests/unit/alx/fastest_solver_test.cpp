// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"
#include "model/estimate.h"
#include "spmd/linear/op_parts.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

// The ALX paper: "CG is the fastest on a TPU". Does the model say so? The times of the solvers' own
// ops, by the analytic model, at the presets' central values.
namespace alxsim::alx {
namespace {

using model::OpGraph;
using topologies::Machine;

/// Iterations of a batch's slowest system: what both halves are taken to need, and many.
constexpr std::int64_t few = row_cg_iterations.central;
constexpr std::int64_t usual = column_cg_iterations.central;
constexpr std::int64_t many = 60;

/// A batch of d x d systems. Iterations: of the slowest system, by CG.
struct Batch {
    int dim = 128;
    std::int64_t systems = 1024;
    std::int64_t iterations = usual;
};

/// The systems are made on the device and the solutions used there, so that they may stay in VMEM.
std::shared_ptr<const OpGraph> solver_graph(const std::string& solver, const Batch& batch)
{
    AlxConfig config;
    config.dim = batch.dim;
    const std::int64_t numbers = batch.systems * batch.dim;
    const Bytes vectors(numbers * 4);
    auto graph = std::make_shared<OpGraph>();
    const int made = graph->add(spmd::vector_op(
        "make", "statistics", numbers * batch.dim, 1, {},
        {{"statistics.gramians", vectors * batch.dim}, {"statistics.rhs", vectors}}, {}));
    const int solved = solvers().create(solver)->add_ops(
        *graph, config, {batch.systems, batch.iterations}, made, nullptr);
    graph->add(spmd::vector_op("use", "scatter", numbers, 1, {{"solve.solutions", vectors}}, {},
                               {solved}));
    return graph;
}

double seconds(const Machine& machine, const std::string& solver, const Batch& batch)
{
    const model::Step step{solver_graph(solver, batch), {{"cg_iterations", {batch.iterations}}}, 1};
    const model::Breakdown time = model::AnalyticModel(machine).step(step).on_device;
    return to_seconds(time.phases.at("solve")).count();
}

struct Times {
    double cg, cholesky, lu, qr;

    double best_direct() const { return std::min({cholesky, lu, qr}); }
};

Times times(const Machine& machine, const Batch& batch)
{
    const Times found{seconds(machine, "cg", batch), seconds(machine, "cholesky", batch),
                      seconds(machine, "lu", batch), seconds(machine, "qr", batch)};
    std::printf(
        "%-8s d %3d  systems %4lld  cg(%2lld) %8.3f  cholesky %8.3f  lu %8.3f  qr %8.2f ms\n",
        machine.preset.name().c_str(), batch.dim, static_cast<long long>(batch.systems),
        static_cast<long long>(batch.iterations), found.cg * 1e3, found.cholesky * 1e3,
        found.lu * 1e3, found.qr * 1e3);
    return found;
}

const std::vector<std::int64_t> batch_sizes{64, 256, 1024};

/// "CG is the fastest on a TPU", say the authors of ALX, who used v3.
TEST(FastestSolver, IsCgOnV3AtTheIterationsThatReferenceRunsTake)
{
    const Machine machine = model::machine_of("tpu_v3", 1);
    for (const int dim : {64, 128}) {
        for (const std::int64_t systems : batch_sizes) {
            for (const std::int64_t iterations : {few, usual}) {
                const Times found = times(machine, {dim, systems, iterations});
                EXPECT_LT(found.cg, found.best_direct());
                EXPECT_LT(found.best_direct(), found.qr) << "QR goes one by one";
            }
        }
    }
}

TEST(FastestSolver, IsCgAtTwiceTheIterationsToo)
{
    const Machine machine = model::machine_of("tpu_v3", 1);
    for (const std::int64_t systems : batch_sizes) {
        const Times found = times(machine, {128, systems, many});
        EXPECT_LT(found.cg, found.best_direct());
    }
    const Times smaller = times(machine, {64, 1024, many});
    EXPECT_LT(smaller.cg, smaller.best_direct());
}

TEST(FastestSolver, IsLuWhereVmemHoldsTheSystemsAndCgTakesManyIterations)
{
    // 128 MiB of VMEM hold 1024 systems of 64 x 64, or 256 of 128 x 128: LU's columns then cost
    // hardly more than their launches.
    const Machine machine = model::machine_of("tpu_v5e", 1);
    const Times small = times(machine, {64, 1024, usual});
    EXPECT_LT(small.cg, small.best_direct());
    const Times longer = times(machine, {64, 1024, many});
    EXPECT_LT(longer.lu, longer.cg);
    const Times large = times(machine, {128, 1024, usual});
    EXPECT_LT(large.cg, large.best_direct());
}

TEST(FastestSolver, IsADirectOneForSmallSystemsThatTakeCgManyIterations)
{
    for (const char* chip : {"tpu_v3", "tpu_v5e"}) {
        const Machine machine = model::machine_of(chip, 1);
        const Times found = times(machine, {16, 64, many});
        EXPECT_LT(found.best_direct(), found.cg);
        EXPECT_NEAR(found.lu / found.cholesky, 1, 0.2);
    }
}

TEST(FastestSolver, IsCgWhateverSumsOverLanesCost)
{
    // As compiled, CG's product sums nothing over the lanes; LU's search for pivots does.
    const Batch batch{128, 1024, usual};
    const Times usually = times(model::machine_of("tpu_v3", 1), batch);
    const Times slow =
        times(model::machine_of("tpu_v3", 1, {{"xlu_lane_reduction_cycles", 256}}), batch);
    EXPECT_EQ(slow.cg, usually.cg);
    EXPECT_GT(slow.lu, usually.lu);
}

TEST(FastestSolver, TakesForASystemAndAnIterationWhatTheBundlesSay)
{
    // Counted from the compiled step (libtpu 0.0.42.1, v3): 0.142 us of bundles, 0.153 us of HBM;
    // with the vectors' ops and seven launches 0.19 us (0.16 to 0.35).
    const Machine machine = model::machine_of("tpu_v3", 1);
    const double longer = seconds(machine, "cg", {128, 409, 13});
    const double iteration = longer - seconds(machine, "cg", {128, 409, 12});
    // Ours has 450 GB/s a core where the counting took 429.
    EXPECT_NEAR(iteration / 409, 0.19e-6, 0.06 * 0.19e-6);
    EXPECT_GT(seconds(machine, "cg", {128, 409, 0}), iteration * 0.8) << "A x0 is executed";
}

} // namespace
} // namespace alxsim::alx
