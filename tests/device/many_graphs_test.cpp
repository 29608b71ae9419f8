// SPDX-License-Identifier: Apache-2.0
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>

/// Jobs of which every step has an op graph of its own.
namespace alxsim::sim {
namespace {

using model::Op;
using model::OpGraph;
using model::PairMessage;
using topologies::Machine;

/// Device i sends to the others a size that depends on the step.
Op exchange(const Machine& machine, int step)
{
    std::vector<PairMessage> messages;
    for (int from = 0; from < machine.devices; ++from) {
        for (int to = 0; to < machine.devices; ++to) {
            messages.push_back({from, to, Bytes(100 + (from * 7 + to * 5 + step * 3) % 11 * 50)});
        }
    }
    model::Collective collective{model::CollectiveKind::all_to_all, Bytes(1)};
    collective.messages = std::make_shared<const std::vector<PairMessage>>(std::move(messages));
    return op_of(collective, {0}, "exchange");
}

std::shared_ptr<const OpGraph> graph_of_step(const Machine& machine, int step)
{
    const Op vector = op_of(model::Vector{1000 + 100 * step, 4, model::DType::f32});
    return graph_of(
        {repeat_of(12, {vector}), exchange(machine, step),
         repeat_of(
             8, {op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1024 + step)})},
             "", {1})});
}

/// Makes the graph of a step when it is asked for, and forgets it.
class PassingSteps : public model::StepSource {
public:
    PassingSteps(const Machine& machine, int steps) : machine_(machine), steps_(steps) {}

    std::optional<model::Step> next() override
    {
        if (done_ == steps_) {
            return std::nullopt;
        }
        model::Step step{graph_of_step(machine_, done_++ % 300), {}, 1};
        most_alive_ = std::max(most_alive_, alive());
        graphs_.push_back(step.graph);
        return step;
    }
    std::ptrdiff_t most_alive() const { return most_alive_; }

private:
    std::ptrdiff_t alive() const
    {
        return std::count_if(graphs_.begin(), graphs_.end(),
                             [](const auto& graph) { return !graph.expired(); });
    }

    const Machine& machine_;
    int steps_;
    int done_ = 0;
    std::vector<std::weak_ptr<const OpGraph>> graphs_;
    std::ptrdiff_t most_alive_ = 0;
};

TEST(ManyGraphs, TakeTheSameTimeWhetherTheyAreKeptOrPassBy)
{
    for (const Machine& machine : {machine_of("tpu_v5e", 4), machine_of("tpu_v3", 4)}) {
        std::vector<model::Step> steps;
        for (int step = 0; step < 600; ++step) {
            const bool again = step >= 300;
            steps.push_back(again ? steps[static_cast<std::size_t>(step - 300)]
                                  : model::Step{graph_of_step(machine, step), {}, 1});
        }
        const SimulationResult kept = simulate(machine, steps);
        PassingSteps source(machine, 600);
        const SimulationResult passed = Simulator(machine).run(source);
        EXPECT_EQ(kept.epochs.at(0).finish, passed.epochs.at(0).finish);
        EXPECT_EQ(kept.network.link_bytes, passed.network.link_bytes);
        EXPECT_EQ(kept.network.link_busy, passed.network.link_busy);
        EXPECT_EQ(kept.network.messages, passed.network.messages);
        EXPECT_LT(source.most_alive(), 10);
        ListedSteps again(steps);
        EXPECT_EQ(Simulator(machine, {false}).run(again).epochs.at(0).finish,
                  kept.epochs.at(0).finish);
    }
}

} // namespace
} // namespace alxsim::sim
