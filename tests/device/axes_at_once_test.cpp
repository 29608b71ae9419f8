// SPDX-License-Identifier: Apache-2.0
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

/// Collectives along different axes, which may run at once.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::Op;
using topologies::Machine;

Op all_reduce(std::vector<std::string> axes, std::int64_t bytes, std::vector<int> after = {})
{
    return op_of(Collective{CollectiveKind::all_reduce, Bytes(bytes), {}, std::move(axes)},
                 std::move(after));
}

/// Both readers agree, but for what devices of a chip that leave one after another gain on the next
/// collective; returns the time.
Picoseconds time_on_axes(const Machine& machine, const std::vector<Op>& ops)
{
    const Picoseconds time = simulated(machine, graph_of(ops));
    EXPECT_NEAR(estimated(machine, graph_of(ops)) / time, 1,
                machine.devices_per_chip > 1 ? 0.01 : 0);
    return time;
}

Machine with_overlap(Machine machine, bool overlap)
{
    machine.network.collectives_overlap_compute = overlap;
    return machine;
}

TEST(AxesAtOnce, TwoAllReducesTakeAsLongAsTheLongerOne)
{
    for (const bool overlap : {false, true}) {
        const Machine torus = with_overlap(easy_machine(32, "4x8", {true, true}), overlap);
        const Op along_x = all_reduce({"x"}, 1 << 20);
        const Op along_y = all_reduce({"y"}, 1 << 20);
        const Picoseconds x = time_on_axes(torus, {along_x});
        const Picoseconds y = time_on_axes(torus, {along_y});
        EXPECT_LT(x, y);
        EXPECT_EQ(time_on_axes(torus, {along_x, along_y}), std::max(x, y));
        EXPECT_EQ(time_on_axes(torus, {along_y, along_x}), std::max(x, y));
        EXPECT_EQ(time_on_axes(torus, {along_x, along_y, along_x}), std::max(x * 2, y));
    }
}

TEST(AxesAtOnce, ThoseThatShareAnAxisFollowEachOther)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    const Op along_x = all_reduce({"x"}, 1 << 20);
    const Op along_both = all_reduce({}, 1 << 20);
    const Picoseconds x = time_on_axes(torus, {along_x});
    const Picoseconds both = time_on_axes(torus, {along_both});
    EXPECT_EQ(time_on_axes(torus, {along_x, along_x}), x * 2);
    EXPECT_EQ(time_on_axes(torus, {along_x, along_both}), x + both);
    EXPECT_EQ(time_on_axes(torus, {along_both, along_x}), x + both);
}

/// To the neighbour in y, one way or the other.
Op shift(const Machine& machine, int by, std::int64_t bytes)
{
    const int length = machine.slice.axes().at(1).length;
    auto messages = std::make_shared<std::vector<model::PairMessage>>();
    for (int device = 0; device < machine.devices; ++device) {
        const int y = device % length;
        messages->push_back({device, device - y + (y + by + length) % length, Bytes(bytes)});
    }
    Collective permute{CollectiveKind::permute, Bytes(bytes)};
    permute.messages = std::move(messages);
    return op_of(permute);
}

TEST(AxesAtOnce, PermutesInOppositeDirectionsAreUnderWayTogether)
{
    for (const bool overlap : {false, true}) {
        const Machine torus = with_overlap(easy_machine(16, "4x4", {true, true}), overlap);
        const Op left = shift(torus, -1, 1 << 20);
        const Op right = shift(torus, 1, 1 << 20);
        const Op small = shift(torus, 1, 1 << 10);
        const Op along_x = all_reduce({"x"}, 1 << 20);
        const Picoseconds one = time_on_axes(torus, {left});
        EXPECT_EQ(time_on_axes(torus, {left, right}), one);
        EXPECT_EQ(time_on_axes(torus, {left, right, left}), one * 2)
            << "the third passes the first's";
        EXPECT_EQ(time_on_axes(torus, {right, right}), one * 2);
        // Whatever comes next waits for all of them, not for the last alone.
        EXPECT_EQ(time_on_axes(torus, {left, small, along_x}),
                  one + time_on_axes(torus, {along_x}));
        EXPECT_EQ(time_on_axes(torus, {along_x, left, right}),
                  time_on_axes(torus, {along_x, left}));
    }
}

TEST(AxesAtOnce, OppositePermutesOfARealSliceTakeTheTimeOfOne)
{
    // 8 MiB each way between neighbours of v5e 2x2: 227 us; one after the other 455.
    const Machine machine = model::machine_of("tpu_v5e", 4);
    const auto to_neighbour = [&](int by) {
        Op permute = shift(machine, by, 8 << 20);
        auto some = std::make_shared<std::vector<model::PairMessage>>();
        for (const model::PairMessage& message : *std::get<Collective>(permute.work).messages) {
            if ((message.destination - message.source) * by > 0) {
                some->push_back(message);
            }
        }
        std::get<Collective>(permute.work).messages = some;
        return permute;
    };
    const Picoseconds both = time_on_axes(machine, {to_neighbour(1), to_neighbour(-1)});
    EXPECT_NEAR(to_seconds(both).count(), 227e-6, 5e-6);
    EXPECT_EQ(both, time_on_axes(machine, {to_neighbour(1)}));
}

TEST(AxesAtOnce, DevicesOfAChipJoinTheirGroupsOrKeepToTheirOwn)
{
    // Along x and y with all devices of a chip, both use the path on it.
    const Machine pairs = easy_pairs(16, "4x4", {true, true});
    Op along_x = all_reduce({"x"}, 1 << 20);
    Op along_y = all_reduce({"y"}, 1 << 20);
    const Picoseconds one = time_on_axes(pairs, {along_x});
    EXPECT_NEAR(time_on_axes(pairs, {along_x, along_y}) / one, 2, 0.01);
    std::get<Collective>(along_x.work).across_chips = true;
    std::get<Collective>(along_y.work).across_chips = true;
    EXPECT_EQ(time_on_axes(pairs, {along_x, along_y}), time_on_axes(pairs, {along_x}));
}

TEST(AxesAtOnce, ASynchronousOneKeepsComputeOffButNotAnother)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    const Op compute = op_of(model::Vector{1 << 24, 4, model::DType::f32});
    const Op along_x = all_reduce({"x"}, 1 << 20);
    const Op along_y = all_reduce({"y"}, 1 << 19);
    const Picoseconds alone = time_on_axes(torus, {compute});
    EXPECT_EQ(time_on_axes(torus, {along_x, along_y, compute}),
              time_on_axes(torus, {along_x}) + alone);
    // In program order: the second waits until the first may begin.
    const Op late_x = all_reduce({"x"}, 1 << 20, {0});
    EXPECT_EQ(time_on_axes(torus, {compute, late_x, along_y}),
              time_on_axes(torus, {along_x}) + alone);
    const Machine overlapping = with_overlap(torus, true);
    EXPECT_EQ(time_on_axes(overlapping, {along_x, along_y, compute}),
              std::max(time_on_axes(torus, {along_x}), alone));
}

Op permute_of(std::vector<model::PairMessage> messages)
{
    Collective collective{CollectiveKind::permute, Bytes(0)};
    collective.messages =
        std::make_shared<const std::vector<model::PairMessage>>(std::move(messages));
    return op_of(collective);
}

TEST(AxesAtOnce, APermuteMayHaveSeveralMessagesOfADevice)
{
    const Machine ring = machine_of("tpu_v5e", topologies::SliceRequest{16, "1x16", {}});
    const Bytes bytes(8 << 20);
    std::vector<model::PairMessage> right;
    std::vector<model::PairMessage> both;
    std::vector<model::PairMessage> twice;
    for (int device = 1; device < 15; ++device) {
        right.push_back({device, device + 1, bytes});
        both.insert(both.end(), {{device, device + 1, bytes}, {device, device - 1, bytes}});
        twice.insert(twice.end(), {{device, device + 1, bytes}, {device, device + 1, bytes}});
    }
    const Picoseconds alone = time_on_axes(ring, {permute_of(right)});
    EXPECT_EQ(time_on_axes(ring, {permute_of(both)}), alone);
    const Picoseconds two = time_on_axes(ring, {permute_of(twice)});
    EXPECT_GT(two, alone * 15 / 8);
    EXPECT_LE(two, alone * 2);
}

/// Graphs of collectives along x, y and both, of compute and of loops.
class GraphsOnAxes {
public:
    explicit GraphsOnAxes(unsigned seed) : engine_(seed) {}

    std::vector<Op> ops(int depth)
    {
        std::vector<Op> result;
        for (int i = number(2, 8); i > 0; --i) {
            Op op = random_op(depth);
            for (int before = 0; before < static_cast<int>(result.size()); ++before) {
                if (number(0, 2) == 0) {
                    op.after.push_back(before);
                }
            }
            result.push_back(op);
        }
        return result;
    }

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

private:
    Op random_op(int depth)
    {
        const int kind = number(0, 9);
        if (kind == 0 && depth > 0) {
            std::vector<Op> body = ops(depth - 1);
            return repeat_of(number(1, 6), std::move(body));
        }
        if (kind < 3) {
            return op_of(model::Vector{number(1, 1 << 22), 4, model::DType::f32});
        }
        if (kind < 5) {
            return op_of(model::stream_of(Bytes(number(1, 1 << 22)), Bytes(0)));
        }
        constexpr std::array kinds{CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                   CollectiveKind::broadcast, CollectiveKind::reduce};
        const std::vector<std::vector<std::string>> groups{{"x"}, {"y"}, {}};
        Collective collective{kinds[static_cast<std::size_t>(number(0, 3))],
                              Bytes(number(1, 1 << 20)),
                              {},
                              groups[static_cast<std::size_t>(number(0, 2))]};
        collective.root = model::has_root(collective.kind) ? number(0, 2) : 0;
        return op_of(collective);
    }

    std::mt19937 engine_;
};

TEST(AxesAtOnce, NoDeviceWaitsForEverWhoeverIsSlow)
{
    for (unsigned seed = 0; seed < 60; ++seed) {
        GraphsOnAxes random(seed);
        Machine machine = with_overlap(easy_machine(12, "3x4", {false, true}), seed % 2 == 1);
        machine.faults.device_speed.assign(12, 1.0);
        for (double& speed : machine.faults.device_speed) {
            speed = 0.1 * random.number(1, 10);
        }
        const auto graph = graph_of(random.ops(2));
        SCOPED_TRACE("seed " + std::to_string(seed));
        ListedSteps with_memory(steps_of(graph, 2));
        ListedSteps without_memory(steps_of(graph, 2));
        const SimulationResult with = Simulator(machine, {true}).run(with_memory);
        const SimulationResult without = Simulator(machine, {false}).run(without_memory);
        EXPECT_EQ(with.epochs.at(0).finish, without.epochs.at(0).finish);
        EXPECT_EQ(with.epochs.at(0).breakdown.total, without.epochs.at(0).breakdown.total);
        EXPECT_GT(estimated(machine, graph), Picoseconds(0));
    }
}

} // namespace
} // namespace alxsim::sim
