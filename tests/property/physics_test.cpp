// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/bounds.h"
#include "model/job_estimate.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace alxsim::sim {
namespace {

using model::DType;
using topologies::Machine;

/// Rounding to picoseconds in a bound or a time.
constexpr double rounding_seconds = 1e-12;

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}

    /// From `low` to `high`, small and large sizes alike often.
    std::int64_t size(std::int64_t low, std::int64_t high)
    {
        const double logarithm = std::uniform_real_distribution<double>(
            std::log(static_cast<double>(low)), std::log(static_cast<double>(high)))(engine_);
        return std::clamp(static_cast<std::int64_t>(std::exp(logarithm)), low, high);
    }
    int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
    bool coin() { return below(2) == 0; }

private:
    std::mt19937 engine_;
};

Machine random_machine(Dice& dice, int most_cores)
{
    const std::vector<std::string> names = topologies::Preset::names();
    const std::string& name = names[static_cast<std::size_t>(dice.below(7))];
    int cores = 1;
    while (2 * cores <= most_cores && dice.below(5) != 0) {
        cores *= 2;
    }
    return machine_of(name, cores, {{"collectives_overlap_compute", dice.coin()}});
}

DType random_dtype(Dice& dice)
{
    return static_cast<DType>(dice.below(4));
}

model::Work random_work(Dice& dice)
{
    switch (dice.below(7)) {
    case 0: {
        const int passes[] = {1, 3, 6};
        return model::Matmul{dice.size(1, 64),
                             dice.size(1, 4096),
                             dice.size(1, 2048),
                             dice.size(1, 2048),
                             dice.coin() ? DType::bf16 : DType::f32,
                             passes[dice.below(3)],
                             dice.coin()};
    }
    case 1:
        return model::Vector{dice.size(1, 1 << 24), 0.25 * static_cast<double>(dice.size(1, 99)),
                             random_dtype(dice)};
    case 2:
        return model::stream_of(Bytes(dice.size(1, 1 << 28)), Bytes(dice.size(1, 1 << 28)));
    case 3:
        return model::RowGather{dice.size(1, 100'000), Bytes(dice.size(1, 1 << 17)),
                                dice.size(1, 1 << 24),
                                static_cast<model::AccessPattern>(dice.below(2)), 0};
    case 4:
        return model::RowScatter{dice.size(1, 100'000), Bytes(dice.size(1, 1 << 17)),
                                 dice.size(1, 1 << 24), dice.coin()};
    case 5:
        return model::infeed_of(Bytes(dice.size(1, 1 << 28)));
    default:
        return model::Collective{static_cast<model::CollectiveKind>(dice.below(3)),
                                 Bytes(dice.size(1, 1 << 26))};
    }
}

model::Op random_op(Dice& dice)
{
    model::Op op = op_of(random_work(dice), {}, "phase" + std::to_string(dice.below(4)));
    if (dice.coin()) {
        op.reads = {{"tables.in", Bytes(dice.size(1, 1 << 26))}};
        op.writes = {{"tables.out", Bytes(dice.size(1, 1 << 20))}};
    }
    return op;
}

/// Ops in a chain, or waiting for one or two random earlier ones each.
std::shared_ptr<const model::OpGraph> random_graph(Dice& dice, bool chain)
{
    std::vector<model::Op> ops;
    const int count = 2 + dice.below(6);
    for (int i = 0; i < count; ++i) {
        ops.push_back(random_op(dice));
        if (i > 0) {
            ops.back().after = {chain ? i - 1 : dice.below(i)};
        }
    }
    return graph_of(std::move(ops));
}

double bound_of(const Machine& machine, const model::OpGraph& graph, const model::Op& op)
{
    const model::BufferPlacement placement = model::place(graph, machine.device);
    return model::physical_bound(op, placement, machine).count();
}

std::string description(const Machine& machine, const model::Op& op)
{
    return machine.preset.name() + ", " + std::to_string(machine.cores) +
           " cores: " + model::to_json(op).dump();
}

/// Simulates a whole job of one step: data of an infeed may come in before the device is told to
/// start.
double simulated_job(const Machine& machine, const std::shared_ptr<const model::OpGraph>& graph)
{
    return to_seconds(simulate(machine, steps_of(graph)).epochs.at(0).finish).count();
}

bool is_infeed(const model::Op& op)
{
    const auto* copy = std::get_if<model::Copy>(&op.work);
    return copy != nullptr && copy->with_host();
}

double estimated_job(const Machine& machine, const std::shared_ptr<const model::OpGraph>& graph)
{
    return to_seconds(model::estimate({{{graph, {}, 1}, 1}}, machine).total).count();
}

TEST(Physics, IsNotBeatenByAnyOpInSimulatorOrModel)
{
    Dice dice(20);
    for (int i = 0; i < 400; ++i) {
        const Machine machine = random_machine(dice, 128);
        const auto graph = graph_of({random_op(dice)});
        const model::Op& op = graph->ops.front();
        const bool infeed = is_infeed(op);
        const double bound = bound_of(machine, *graph, op);
        const double in_simulator =
            infeed ? simulated_job(machine, graph) : to_seconds(simulated(machine, graph)).count();
        const double in_model =
            infeed ? estimated_job(machine, graph) : to_seconds(estimated(machine, graph)).count();
        EXPECT_GE(in_simulator, bound - rounding_seconds) << description(machine, op);
        EXPECT_GE(in_model, bound - rounding_seconds) << description(machine, op);
    }
}

/// The op at another size on every device.
model::Op spread_over(const Machine& machine, model::Op op, Dice& dice)
{
    auto works = std::make_shared<std::vector<model::Work>>();
    while (works->size() < static_cast<std::size_t>(machine.devices)) {
        const model::Work work = random_work(dice);
        if (model::same_kind(work, op.work)) {
            works->push_back(work);
        }
    }
    op.work_of_device = works;
    return op;
}

TEST(Physics, IsNotBeatenByWorkThatDiffersFromDeviceToDevice)
{
    Dice dice(26);
    for (int i = 0; i < 150; ++i) {
        const Machine machine = random_machine(dice, 32);
        const model::Op op = random_op(dice);
        if (std::holds_alternative<model::Collective>(op.work)) {
            continue;
        }
        const auto graph = graph_of({spread_over(machine, op, dice)});
        const double bound = bound_of(machine, *graph, graph->ops.front());
        EXPECT_GE(simulated_job(machine, graph), bound - rounding_seconds)
            << description(machine, graph->ops.front());
        EXPECT_GE(estimated_job(machine, graph), bound - rounding_seconds)
            << description(machine, graph->ops.front());
    }
}

TEST(Physics, IsNotBeatenByARepeatedOp)
{
    Dice dice(21);
    for (int i = 0; i < 60; ++i) {
        const Machine machine = random_machine(dice, 16);
        const auto graph = graph_of({repeat_of(1 + dice.below(5), {random_op(dice)})});
        const double bound = bound_of(machine, *graph, graph->ops.front());
        EXPECT_GE(simulated_job(machine, graph), bound - rounding_seconds)
            << description(machine, graph->ops.front());
        EXPECT_GE(estimated_job(machine, graph), bound - rounding_seconds)
            << description(machine, graph->ops.front());
    }
}

TEST(Physics, IsNotBeatenByAGraph)
{
    Dice dice(22);
    for (int i = 0; i < 150; ++i) {
        const Machine machine = random_machine(dice, 32);
        const auto graph = random_graph(dice, dice.coin());
        const double simulated_seconds = simulated_job(machine, graph);
        const double estimated_seconds = estimated_job(machine, graph);
        const model::BufferPlacement placement = model::place(*graph, machine.device);
        double hbm_bytes = 0;
        for (const model::Op& op : graph->ops) {
            EXPECT_GE(simulated_seconds, bound_of(machine, *graph, op) - rounding_seconds);
            EXPECT_GE(estimated_seconds, bound_of(machine, *graph, op) - rounding_seconds);
            hbm_bytes +=
                static_cast<double>(model::op_cost(op, placement, machine).hbm.bytes.count());
        }
        // Every device of a chip moves its bytes through the chip's one HBM.
        const double chip = hbm_bytes * machine.devices_per_chip /
                            machine.device.hbm_chip_bytes_per_second * (1 - 1e-9);
        EXPECT_GE(simulated_seconds, chip);
        EXPECT_GE(estimated_seconds, chip);
    }
}

TEST(Determinism, SameJobSameResultToThePicosecond)
{
    Dice dice(23);
    for (int i = 0; i < 40; ++i) {
        const Machine machine = random_machine(dice, 64);
        const auto graph = random_graph(dice, false);
        const SimulationResult first = simulate(machine, steps_of(graph, 3));
        const SimulationResult second = simulate(machine, steps_of(graph, 3));
        ASSERT_EQ(first.epochs.size(), 1u);
        EXPECT_EQ(first.epochs[0].finish, second.epochs[0].finish);
        EXPECT_EQ(first.epochs[0].breakdown.phases, second.epochs[0].breakdown.phases);
        EXPECT_EQ(first.epochs[0].breakdown.shares, second.epochs[0].breakdown.shares);
        EXPECT_EQ(first.network.link_busy, second.network.link_busy);
        EXPECT_EQ(first.network.messages, second.network.messages);
    }
}

TEST(Breakdown, OfAnySimulationAddsUpExactly)
{
    Dice dice(24);
    for (int i = 0; i < 100; ++i) {
        const Machine machine = random_machine(dice, 32);
        const auto graph = graph_of({repeat_of(1, {random_op(dice)}, "times"), random_op(dice)});
        std::vector<model::Step> steps;
        const bool alike = std::holds_alternative<model::Collective>(
            std::get<model::Repeat>(graph->ops[0].work).body->ops[0].work);
        for (int step = 0; step < 4; ++step) {
            std::vector<std::int64_t> times;
            for (int device = 0; device < machine.devices; ++device) {
                times.push_back(alike ? 2 : dice.below(4));
            }
            steps.push_back({graph, {{"times", times}}, 1 + step / 2});
        }
        Picoseconds begin(0);
        for (const EpochTiming& epoch : simulate(machine, steps).epochs) {
            Picoseconds phases(0);
            for (const auto& [phase, time] : epoch.breakdown.phases) {
                phases += time;
            }
            Picoseconds shares(0);
            for (const Picoseconds time : epoch.breakdown.shares) {
                shares += time;
            }
            ASSERT_EQ(phases, epoch.finish - begin);
            ASSERT_EQ(shares, epoch.finish - begin);
            begin = epoch.finish;
        }
    }
}

TEST(Estimate, OfAChainIsTheSimulatedTime)
{
    // All devices do the same at the same time. Only what follows a collective may differ: it does
    // not end everywhere at once, and then a chip's devices get in each other's way at the HBM less
    // than the model takes for granted.
    Dice dice(25);
    for (int i = 0; i < 100; ++i) {
        const Machine machine = random_machine(dice, 64);
        auto graph = std::make_shared<model::OpGraph>(*random_graph(dice, true));
        double tolerance = 1e-4;
        for (model::Op& op : graph->ops) {
            if (is_infeed(op)) {
                op.work = model::Vector{1 << 16, 1, DType::f32}; // hidden in the model
            }
            if (std::holds_alternative<model::Collective>(op.work)) {
                tolerance = 0.03;
            }
        }
        EXPECT_NEAR(estimated(machine, graph) / simulated(machine, graph), 1, tolerance)
            << machine.preset.name() << " " << machine.slice.shape() << " "
            << model::to_json(*graph).dump();
    }
}

} // namespace
} // namespace alxsim::sim
