// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

#include "base/input_error.h"
#include "model/critical_path.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

namespace alxsim::sim {
namespace {

using model::DType;
using model::Share;
using topologies::Machine;

const model::Op vector_work = op_of(model::Vector{1 << 20, 4, DType::f32}, {}, "solve");

model::Op all_reduce(std::int64_t bytes, std::vector<int> after = {})
{
    return op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(bytes)},
                 std::move(after), "combine");
}

void expect_sums(const EpochTiming& epoch, Picoseconds begin)
{
    Picoseconds phases(0);
    for (const auto& [phase, time] : epoch.breakdown.phases) {
        phases += time;
    }
    Picoseconds shares(0);
    for (const Picoseconds time : epoch.breakdown.shares) {
        shares += time;
    }
    EXPECT_EQ(phases, epoch.finish - begin);
    EXPECT_EQ(shares, epoch.finish - begin);
    EXPECT_EQ(epoch.breakdown.total, epoch.finish - begin);
}

/// One step, at which something else is done.
class Interrupting : public model::StepSource {
public:
    Interrupting(model::Step step, std::function<void()> other)
        : step_(std::move(step)),
          other_(std::move(other))
    {
    }
    std::optional<model::Step> next() override
    {
        other_();
        return std::exchange(step_, std::nullopt);
    }

private:
    std::optional<model::Step> step_;
    std::function<void()> other_;
};

TEST(Simulator, IsRefusedASecondRunAndASecondBesideIt)
{
    const Machine machine = easy_machine(2, "1x2", {false, false});
    const model::Step step{graph_of({vector_work}), {}, 1};
    Simulator simulator(machine);
    Interrupting job(step, [&] { EXPECT_THROW(Simulator{machine}, InputError); });
    const Picoseconds finish = simulator.run(job).epochs.at(0).finish;
    EXPECT_THROW(simulator.run(job), InputError);
    Simulator before(machine);
    {
        const Simulator later(machine);
        Interrupting again(step, [] {});
        EXPECT_THROW(before.run(again), InputError);
    }
    Interrupting alone(step, [] {});
    EXPECT_EQ(Simulator(machine).run(alone).epochs.at(0).finish, finish)
        << "what was refused stays";
}

TEST(Simulator, LetsTheFasterDeviceWaitAndBlamesTheSlowerOne)
{
    const Machine machine = easy_machine(2, "1x2", {false, false});
    const auto graph =
        graph_of({op_of(model::RowGather{100, Bytes(256), 0, model::AccessPattern::uniform, 0}, {},
                        "gather"),
                  repeat_of(1, {vector_work}, "cg", {0}), all_reduce(1 << 16, {1})});
    const SimulationResult slow = simulate(machine, {{graph, {{"cg", {2, 9}}}, 1}});
    const SimulationResult even = simulate(machine, {{graph, {{"cg", {9, 9}}}, 1}});
    EXPECT_EQ(slow.epochs.at(0).finish, even.epochs.at(0).finish);
    EXPECT_EQ(slow.epochs.at(0).breakdown.phases, even.epochs.at(0).breakdown.phases);
    EXPECT_EQ(slow.epochs.at(0).breakdown.share(Share::idle), Picoseconds(0));
    const Picoseconds iteration = simulated(machine, vector_work);
    EXPECT_EQ(slow.epochs.at(0).breakdown.phases.at("solve"), iteration * 9);
}

TEST(Simulator, SplitsEveryEpochExactly)
{
    const Machine machine = machine_of("tpu_v3", 16);
    const auto graph =
        graph_of({op_of(model::infeed_of(Bytes(100'000)), {}, "infeed"),
                  op_of(model::RowGather{999, Bytes(256), 0, model::AccessPattern::uniform, 0}, {0},
                        "gather"),
                  repeat_of(1, {vector_work}, "cg", {1}), all_reduce(77'777, {1}),
                  op_of(model::RowScatter{99, Bytes(256), 0, false}, {2, 3}, "scatter")});
    std::vector<model::Step> steps;
    for (int i = 0; i < 12; ++i) {
        std::vector<std::int64_t> counts;
        for (int device = 0; device < machine.devices; ++device) {
            counts.push_back(1 + (i * 7 + device * 5) % 11);
        }
        steps.push_back({graph, {{"cg", counts}}, 1 + i / 4});
    }
    const SimulationResult result = simulate(machine, steps);
    ASSERT_EQ(result.epochs.size(), 3u);
    Picoseconds begin(0);
    for (const EpochTiming& epoch : result.epochs) {
        expect_sums(epoch, begin);
        begin = epoch.finish;
    }
}

TEST(Simulator, SplitsTheEpochOfDevicesThatNeverMeet)
{
    // Without a collective, device 0 is in the second epoch long before device 1 has left the
    // first.
    const Machine machine = machine_of("tpu_v3", 2);
    const auto graph = graph_of({repeat_of(1, {vector_work}, "cg")});
    const SimulationResult result =
        simulate(machine, {{graph, {{"cg", {1, 3000}}}, 1}, {graph, {{"cg", {1, 2000}}}, 2}});
    ASSERT_EQ(result.epochs.size(), 2u);
    expect_sums(result.epochs[0], Picoseconds(0));
    expect_sums(result.epochs[1], result.epochs[0].finish);
    EXPECT_EQ(result.epochs[1].breakdown.share(Share::idle), Picoseconds(0));
}

TEST(Simulator, KeepsNoMoreOfManyStepsThanOfAFew)
{
    const Machine machine = machine_of("tpu_v3", 16);
    const auto graph =
        graph_of({op_of(model::infeed_of(Bytes(100'000)), {}, "infeed"),
                  repeat_of(9, {all_reduce(77'777)}), repeat_of(1, {vector_work}, "cg", {1})});
    const auto run = [&](int count) {
        std::vector<model::Step> steps;
        for (int step = 0; step < count; ++step) {
            std::vector<std::int64_t> counts;
            for (int device = 0; device < machine.devices; ++device) {
                counts.push_back(1 + (step * 7 + device * 5) % 11);
            }
            steps.push_back({graph, {{"cg", counts}}, 1});
        }
        return simulate(machine, std::move(steps)).statistics;
    };
    const Statistics few = run(11);
    const Statistics many = run(110);
    EXPECT_GT(many.value("activities"), 9 * few.value("activities"));
    EXPECT_LE(many.value("activities_kept"), few.value("activities_kept"));
    EXPECT_LE(many.value("activities_kept"), few.value("activities") / 3);
}

/// Keeps all that devices did in a run of one epoch.
class Everything : public Observer {
public:
    bool looks_closely() const override { return false; }
    void finished(const FinishedActivity& told) override
    {
        model::Activity kept = told.activity;
        kept.cause = told.cause.index;
        path.add(kept);
    }
    void epoch_closed(const ClosedEpoch& epoch) override
    {
        breakdown = path.breakdown(epoch.phases, Picoseconds(0));
    }

    model::CriticalPath path;
    model::Breakdown breakdown;
};

TEST(Simulator, KeepsOfALongStepWhatPathsLeadBackTo)
{
    const Machine machine = machine_of("tpu_v3", 16);
    // Devices count different ops between two all-reduces, and one of them all through.
    const auto graph =
        graph_of({repeat_of(2100, {repeat_of(1, {vector_work}, "cg"), all_reduce(77'777, {0})}),
                  op_of(model::RowGather{999, Bytes(256), 0, model::AccessPattern::uniform, 0}, {},
                        "gather")});
    std::vector<std::int64_t> counts;
    for (int device = 0; device < machine.devices; ++device) {
        counts.push_back(10 + device * 5 % 11);
    }
    ListedSteps source({{graph, {{"cg", counts}}, 1}});
    Everything everything;
    Simulator simulator(machine, {false, HbmModel::rates});
    simulator.attach(everything);
    const SimulationResult result = simulator.run(source);
    EXPECT_EQ(result.epochs.at(0).breakdown.phases, everything.breakdown.phases);
    EXPECT_EQ(result.epochs.at(0).breakdown.shares, everything.breakdown.shares);
    EXPECT_EQ(result.statistics.value("activities"), everything.path.kept());
    EXPECT_LE(result.statistics.value("activities_kept"), everything.path.kept() / 3);
}

TEST(Simulator, MayStartWithAnyEpoch)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const auto graph = graph_of({vector_work});
    const SimulationResult result = simulate(machine, {{graph, {}, 7}, {graph, {}, 9}});
    ASSERT_EQ(result.epochs.size(), 2u);
    expect_sums(result.epochs[1], result.epochs[0].finish);
    EXPECT_THROW(simulate(machine, {{graph, {}, 0}}), std::invalid_argument);
}

TEST(Simulator, OfAJobWithoutStepsTakesNoTime)
{
    EXPECT_TRUE(simulate(machine_of("tpu_v3", 8), {}).epochs.empty());
}

TEST(Simulator, RunsAgainAndAgainInOneProcess)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const auto graph = graph_of({vector_work, all_reduce(1 << 20, {0})});
    const SimulationResult first = simulate(machine, steps_of(graph, 5));
    simulate(machine_of("tpu_v4", 16), steps_of(graph, 2));
    const SimulationResult again = simulate(machine, steps_of(graph, 5));
    EXPECT_EQ(first.epochs.at(0).finish, again.epochs.at(0).finish);
    EXPECT_EQ(first.network.messages, again.network.messages);
    EXPECT_EQ(first.statistics.value("activities"), again.statistics.value("activities"));
}

TEST(Simulator, SaysWhatCannotBeDone)
{
    const Machine machine = machine_of("tpu_v3", 4);
    const auto unsupported = graph_of(
        {op_of(model::Collective{model::CollectiveKind::all_gather, Bytes(8), {}, {"z"}})});
    EXPECT_THROW(simulate(machine, steps_of(unsupported)), InputError);
}

TEST(Simulator, RefusesALoopOfCollectivesThatDevicesLeaveAtDifferentTimes)
{
    const Machine machine = machine_of("tpu_v3", 4);
    const auto graph = graph_of({repeat_of(1, {all_reduce(1 << 10)}, "cg")});
    EXPECT_THROW(simulate(machine, {{graph, {{"cg", {2, 3, 2, 2}}}, 1}}), InputError);
    EXPECT_EQ(simulate(machine, {{graph, {{"cg", {3, 3, 3, 3}}}, 1}}).epochs.size(), 1u);
}

TEST(Simulator, RefusesACounterThatDoesNotSpeakForEveryDevice)
{
    const auto graph = graph_of({repeat_of(1, {vector_work}, "cg")});
    EXPECT_THROW(simulate(machine_of("tpu_v3", 4), {{graph, {{"cg", {2, 3}}}, 1}}), InputError);
}

TEST(Simulator, HandsOnWhatTheSourceThrows)
{
    class Failing : public model::StepSource {
    public:
        std::optional<model::Step> next() override
        {
            if (left_-- > 0) {
                return model::Step{graph_of({vector_work}), {}, 1};
            }
            throw std::domain_error("no more numbers");
        }

    private:
        int left_ = 2;
    };
    Failing source;
    Simulator simulator(machine_of("tpu_v3", 4));
    EXPECT_THROW(simulator.run(source), std::domain_error);
}

} // namespace
} // namespace alxsim::sim
