// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/sampling.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <random>

namespace alxsim::experiments {
namespace {

using model::Op;
using model::PairMessage;
using topologies::Machine;

/// Every device sends to the others what `step` says, some more than others, and then computes.
model::Step step_of(const Machine& machine, int step)
{
    std::vector<PairMessage> messages;
    for (int from = 0; from < machine.devices; ++from) {
        for (int to = 0; to < machine.devices; ++to) {
            const int size = 2000 + (step * 37 + from * 11 + to * 5) % 101 * 100 + step % 7 * 900;
            messages.push_back({from, to, Bytes(size)});
        }
    }
    model::Collective exchange{model::CollectiveKind::all_to_all, Bytes(1)};
    exchange.messages = std::make_shared<const std::vector<PairMessage>>(std::move(messages));
    auto graph = std::make_shared<model::OpGraph>();
    graph->name = "half step";
    graph->add(model::op_of(exchange, {}, "gather"));
    const std::int64_t elements = 100'000 + 997 * (step * 61 % 200);
    graph->add(model::op_of(model::Vector{elements, 4, model::DType::f32}, {0}, "solve"));
    return {graph, {}, 1 + step / 100};
}

/// 200 steps of two epochs, each with an op graph of its own.
std::vector<model::Step> job_on(const Machine& machine)
{
    std::vector<model::Step> steps;
    for (int step = 0; step < 200; ++step) {
        steps.push_back(step_of(machine, step));
    }
    return steps;
}

TEST(Sampling, TakesStepsOfOneNameForAKindWhateverTheirSizes)
{
    for (const char* chip : {"tpu_v3", "tpu_v5e"}) {
        const Machine machine = model::machine_of(chip, 8);
        sim::ListedSteps whole(job_on(machine));
        const double detailed = to_seconds(simulate(whole, machine).total.total).count() / 2;
        sim::ListedSteps source(job_on(machine));
        const report::Confidence interval =
            sample(source, machine, SamplingOptions()).confidence.value();
        EXPECT_EQ(interval.steps, 200);
        EXPECT_LT(interval.simulated_steps, 150);
        EXPECT_LE(interval.low_seconds, detailed);
        EXPECT_GE(interval.high_seconds, detailed);
        EXPECT_GT(interval.relative_width, 0);
    }
}

TEST(Sampling, TellsStepsOfOtherNamesApart)
{
    const Machine machine = model::machine_of("tpu_v5e", 8);
    std::vector<model::Step> steps = job_on(machine);
    for (std::size_t i = 0; i < steps.size(); i += 2) {
        auto other = std::make_shared<model::OpGraph>(*steps[i].graph);
        other->name = "other half step";
        steps[i].graph = other;
    }
    sim::ListedSteps one_kind(job_on(machine));
    sim::ListedSteps two_kinds(steps);
    EXPECT_GT(sample(two_kinds, machine, SamplingOptions()).confidence->simulated_steps,
              sample(one_kind, machine, SamplingOptions()).confidence->simulated_steps);
}

} // namespace
} // namespace alxsim::experiments
