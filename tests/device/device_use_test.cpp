// SPDX-License-Identifier: Apache-2.0
#include "model/job_estimate.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

/// What a device does beside its work, as both readers of a graph tell it: seconds of collectives
/// by axes, and what a device waits for others.
namespace alxsim::sim {
namespace {

using model::AxisTimes;
using model::Breakdown;
using model::Collective;
using model::CollectiveKind;
using model::Op;
using model::OpGraph;
using model::PairMessage;
using topologies::Machine;

/// A job of one step, both ways.
struct Both {
    Breakdown estimated;
    Breakdown simulated;
};

Both readers(const Machine& machine, const std::shared_ptr<const OpGraph>& graph, int steps = 1)
{
    model::JobEstimate job(machine);
    job.tell_use();
    job.add({graph, {}, 1}, steps);
    return {job.total(), simulate(machine, steps_of(graph, steps)).epochs.at(0).breakdown};
}

Op vector_of(int rounds, std::vector<int> after = {}, const std::string& phase = "compute")
{
    return op_of(model::Vector{1 << 20, static_cast<double>(rounds), model::DType::f32},
                 std::move(after), phase);
}

Op all_reduce(std::int64_t bytes, std::vector<std::string> axes, std::vector<int> after = {},
              model::Overlap overlap = model::Overlap::async)
{
    Collective collective{CollectiveKind::all_reduce, Bytes(bytes), {}, std::move(axes)};
    collective.overlap = overlap;
    return op_of(collective, std::move(after), "sum");
}

void expect_axis(const Both& both, const std::string& axis, const AxisTimes& expected)
{
    for (const Breakdown* one : {&both.estimated, &both.simulated}) {
        ASSERT_EQ(one->axes.count(axis), 1U) << axis;
        const AxisTimes& found = one->axes.at(axis);
        EXPECT_EQ(found.total, expected.total);
        EXPECT_EQ(found.exposed, expected.exposed);
        EXPECT_EQ(found.alone, expected.alone);
    }
}

// --- By axes

TEST(AxesOfCollectives, WhatOverlapsNothingIsExposedForAsLongAsItTakes)
{
    const Machine machine = easy_machine(16, "4x4", {true, true});
    const Picoseconds along_x = simulated(machine, all_reduce(1 << 20, {"x"}));
    const Picoseconds along_y = simulated(machine, all_reduce(1 << 16, {"y"}));
    const auto graph = graph_of({vector_of(100), all_reduce(1 << 20, {"x"}, {0}),
                                 all_reduce(1 << 16, {"y"}, {1}), vector_of(10, {2})});
    for (const int steps : {1, 3, 400}) {
        const Both both = readers(machine, graph, steps);
        expect_axis(both, "x", {along_x * steps, along_x * steps, along_x * steps});
        expect_axis(both, "y", {along_y * steps, along_y * steps, along_y * steps});
    }
}

TEST(AxesOfCollectives, OfALoopAreThoseOfAllItsIterations)
{
    const Machine machine = easy_machine(4, "4x1", {true, false});
    const Picoseconds once = simulated(machine, all_reduce(1 << 20, {"x"}));
    const auto graph = graph_of(
        {repeat_of(1000, {vector_of(100), all_reduce(1 << 20, {"x"}, {0}), vector_of(10, {1})})});
    expect_axis(readers(machine, graph), "x", {once * 1000, once * 1000, once * 1000});
}

TEST(AxesOfCollectives, WhatComputeHidesIsNotAlone)
{
    const Machine machine = easy_machine(16, "4x4", {true, true});
    const Picoseconds sum = simulated(machine, all_reduce(1 << 20, {"x"}));
    const Picoseconds longer = simulated(machine, vector_of(6000));
    const Picoseconds shorter = simulated(machine, vector_of(600));
    ASSERT_LT(shorter, sum);
    ASSERT_LT(sum, longer);
    const auto beside = [&](int rounds) {
        return graph_of({all_reduce(1 << 20, {"x"}), vector_of(rounds)});
    };
    expect_axis(readers(machine, beside(6000)), "x", {sum, Picoseconds(0), Picoseconds(0)});
    // The step waits for all of it, though a part is hidden.
    expect_axis(readers(machine, beside(600)), "x", {sum, sum, sum - shorter});
}

TEST(AxesOfCollectives, TwoAtOnceCountEachForItself)
{
    const Machine machine = easy_machine(16, "4x4", {true, true});
    const Picoseconds along_x = simulated(machine, all_reduce(1 << 20, {"x"}));
    const Picoseconds along_y = simulated(machine, all_reduce(1 << 18, {"y"}));
    const auto graph = graph_of({all_reduce(1 << 20, {"x"}), all_reduce(1 << 18, {"y"})});
    const Both both = readers(machine, graph);
    expect_axis(both, "x", {along_x, along_x, along_x});
    expect_axis(both, "y", {along_y, Picoseconds(0), along_y});
}

TEST(AxesOfCollectives, HaveTheNamesOfTheirMesh)
{
    topologies::SliceRequest request{16, "2x4", {}};
    request.slices = 2;
    const Machine machine = machine_of("tpu_v5e", request);
    const auto mesh =
        std::make_shared<const model::Mesh>(model::Mesh{{"data", 2}, {"fsdp", 2}, {"tensor", 4}});
    const auto name_of = [&](Collective collective) {
        model::CollectiveAxes axes;
        return axes.names().at(static_cast<std::size_t>(axes.number_of(collective, machine)));
    };
    const auto along = [&](std::vector<std::string> group, bool of_mesh) {
        Collective collective{CollectiveKind::all_reduce, Bytes(64), {}, std::move(group)};
        collective.mesh = of_mesh ? mesh : nullptr;
        return collective;
    };
    EXPECT_EQ(name_of(along({"tensor"}, true)), "tensor");
    EXPECT_EQ(name_of(along({"fsdp", "tensor"}, true)), "fsdp+tensor");
    EXPECT_EQ(name_of(along({"data"}, true)), "data+dcn");
    EXPECT_EQ(name_of(along({"data", "fsdp"}, true)), "data+fsdp+dcn");
    EXPECT_EQ(name_of(along({"y"}, false)), "y");
    EXPECT_EQ(name_of(along({"dcn"}, false)), "dcn");
    EXPECT_EQ(name_of(along({}, false)), "x+y+dcn");
    Collective lists = along({}, false);
    lists.ranks = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{0, 4}, {1, 5}});
    EXPECT_EQ(name_of(lists), "x");
    Collective messages{CollectiveKind::permute, Bytes(64)};
    messages.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 1, Bytes(64)}, {0, 8, Bytes(64)}});
    EXPECT_EQ(name_of(messages), "y+dcn");
    const Machine pairs = easy_pairs(2, "1x2", {false, false});
    messages.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 1, Bytes(64)}});
    model::CollectiveAxes axes;
    EXPECT_EQ(axes.number_of(messages, pairs), 0);
    EXPECT_EQ(axes.names(), std::vector<std::string>{"chip"});
}

// --- Waiting

Op pass_on(int from, std::int64_t bytes, std::vector<int> after = {})
{
    Collective collective{CollectiveKind::permute, Bytes(bytes)};
    collective.overlap = model::Overlap::async;
    collective.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{from, from + 1, Bytes(bytes)}});
    Op op = op_of(collective, std::move(after), "activations");
    op.name = "to " + std::to_string(from + 1);
    return op;
}

/// Every stage computes each microbatch in the same time.
std::shared_ptr<const OpGraph> pipeline(int stages, int microbatches, int rounds)
{
    auto step = std::make_shared<OpGraph>();
    for (int stage = 0; stage < stages; ++stage) {
        std::vector<Op> body;
        if (stage > 0) {
            body.push_back(pass_on(stage - 1, 4));
        }
        body.push_back(vector_of(rounds, stage > 0 ? std::vector<int>{0} : std::vector<int>{}));
        if (stage + 1 < stages) {
            body.push_back(pass_on(stage, 4, {static_cast<int>(body.size()) - 1}));
        }
        step->roles.push_back({{stage}, graph_of({repeat_of(microbatches, std::move(body))})});
    }
    return step;
}

Machine line_of(int chips)
{
    return easy_machine(chips, "1x" + std::to_string(chips), {false, false});
}

TEST(Waiting, APipelineOfEqualStagesHasTheBubbleOfItsClosedForm)
{
    for (const int stages : {2, 4, 8}) {
        for (const int microbatches : {1, 4, 16}) {
            const Machine machine = line_of(stages);
            const Both both = readers(machine, pipeline(stages, microbatches, 3000000));
            const double closed_form =
                (stages - 1.0) / (microbatches + stages - 1.0); // GPipe (Huang et al., 2019)
            for (const Breakdown* one : {&both.estimated, &both.simulated}) {
                EXPECT_NEAR(one->bubble / one->total, closed_form, 1e-3)
                    << stages << " stages, " << microbatches << " microbatches";
                EXPECT_EQ(one->share(model::Share::waiting), one->bubble + one->late_peer);
                EXPECT_EQ(one->late_peer, Picoseconds(0));
            }
            ASSERT_EQ(both.estimated.total, both.simulated.total);
            EXPECT_NEAR(both.estimated.bubble / both.simulated.bubble, 1, 1e-4);
        }
    }
}

TEST(Waiting, OfStepsInARowIsWhatIsLeftWhereTheyOverlap)
{
    // The first stage begins the next step while the second ends this one.
    const Machine machine = line_of(2);
    const auto step = pipeline(2, 4, 300'000);
    const Breakdown once = simulate(machine, steps_of(step)).epochs.at(0).breakdown;
    const Breakdown often = simulate(machine, steps_of(step, 50)).epochs.at(0).breakdown;
    EXPECT_NEAR(once.bubble / once.total, 1.0 / 5, 1e-3);
    EXPECT_NEAR(often.bubble / often.total, 1.0 / (50 * 4 + 1), 1e-3);
}

TEST(Waiting, InACollectiveOfTwoRolesIsForTheLaterOne)
{
    const Machine machine = line_of(2);
    const auto role = [](int rounds) {
        Op sum = op_of(Collective{CollectiveKind::all_reduce, Bytes(1024)}, {0}, "sum");
        sum.name = "sum";
        auto ranks = std::make_shared<const std::vector<std::vector<int>>>(
            std::vector<std::vector<int>>{{0, 1}});
        std::get<Collective>(sum.work).ranks = std::move(ranks);
        return graph_of({vector_of(rounds), sum});
    };
    auto step = std::make_shared<OpGraph>();
    step->roles = {{{0}, role(3000)}, {{1}, role(1000)}};
    const Picoseconds late =
        simulated(machine, vector_of(3000)) - simulated(machine, vector_of(1000));
    const Both both = readers(machine, step);
    for (const Breakdown* one : {&both.estimated, &both.simulated}) {
        EXPECT_EQ(one->late_peer, late / 2); // the mean of one that waits and one that does not
        EXPECT_EQ(one->bubble, Picoseconds(0));
        EXPECT_EQ(one->share(model::Share::waiting), late / 2);
    }
}

TEST(Waiting, SharesAddUpToTheStep)
{
    for (const int stages : {2, 3, 5}) {
        const Both both = readers(line_of(stages), pipeline(stages, 3, 2000));
        for (const Breakdown* one : {&both.estimated, &both.simulated}) {
            Picoseconds shares(0);
            for (const Picoseconds share : one->shares) {
                shares += share;
            }
            Picoseconds exposed(0);
            for (const auto& [axis, times] : one->axes) {
                exposed += times.exposed;
                EXPECT_LE(times.alone, times.total);
            }
            EXPECT_EQ(shares, one->total);
            EXPECT_EQ(exposed, one->share(model::Share::communication));
            EXPECT_GT(one->bubble, Picoseconds(0));
        }
    }
}

TEST(Waiting, ForASlowChipIsWhatItComputesLonger)
{
    Machine machine = easy_machine(4, "4x1", {true, false});
    const auto graph = graph_of({vector_of(6000), all_reduce(1 << 10, {"x"}, {0})});
    const Both healthy = readers(machine, graph);
    machine.faults.device_speed = {1, 1, 0.5, 1};
    const Both slow = readers(machine, graph);
    EXPECT_EQ(healthy.estimated.share(model::Share::waiting), Picoseconds(0));
    for (const auto& [with, without] : {std::pair(slow.estimated, healthy.estimated),
                                        std::pair(slow.simulated, healthy.simulated)}) {
        EXPECT_NEAR(with.share(model::Share::waiting) / (with.total - without.total), 1, 1e-6);
        EXPECT_NEAR(with.share(model::Share::compute) / without.share(model::Share::compute), 1,
                    1e-6);
        EXPECT_EQ(with.bubble + with.late_peer, Picoseconds(0)); // a straggler
    }
}

TEST(Waiting, IsScaledWithItsParts)
{
    Breakdown whole;
    whole.add("a", model::Share::compute, Picoseconds(1000));
    whole.bubble = Picoseconds(301);
    whole.late_peer = Picoseconds(102);
    const Breakdown waiting = with_waiting(whole, 1.25);
    EXPECT_EQ(waiting.share(model::Share::waiting).count(), 301 + 102 + 119); // of 597, a fifth
    for (const std::int64_t parts : {3, 7}) {
        const Breakdown mean = model::mean_of(waiting, parts);
        EXPECT_EQ(mean.share(model::Share::compute) + mean.share(model::Share::waiting),
                  mean.total);
        EXPECT_LE(mean.bubble + mean.late_peer, mean.share(model::Share::waiting));
        EXPECT_NEAR(static_cast<double>(mean.bubble.count()), 301.0 / static_cast<double>(parts),
                    1);
    }
}

} // namespace
} // namespace alxsim::sim
