// SPDX-License-Identifier: Apache-2.0
#include "model/graph/message_order.h"

#include "base/input_error.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

/// Collectives whose schedule is given message by message.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::MessageOrder;
using model::PairMessage;
using topologies::Machine;

Collective ordered(std::vector<PairMessage> messages, MessageOrder after,
                   CollectiveKind kind = CollectiveKind::all_reduce)
{
    Collective collective{kind, Bytes(1)};
    collective.messages = std::make_shared<const std::vector<PairMessage>>(std::move(messages));
    collective.after = std::make_shared<const MessageOrder>(std::move(after));
    return collective;
}

/// From each device of a ring to the next, all the way round and on.
Collective relay(int devices, int hops, std::int64_t bytes)
{
    std::vector<PairMessage> messages;
    MessageOrder after;
    for (int hop = 0; hop < hops; ++hop) {
        messages.push_back({hop % devices, (hop + 1) % devices, Bytes(bytes)});
        after.push_back(hop == 0 ? std::vector<int>{} : std::vector<int>{hop - 1});
    }
    return ordered(std::move(messages), std::move(after));
}

TEST(MessageOrder, AChainTakesTheSumOfItsMessages)
{
    // A byte a nanosecond, a microsecond a hop.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    for (const std::int64_t bytes : {1, 500, 1'000'001}) {
        const Collective chain = relay(8, 11, bytes);
        const Picoseconds closed_form = nanoseconds(11 * (bytes + 1000));
        EXPECT_EQ(run_alone(ring, chain).time, closed_form) << bytes;
        EXPECT_EQ(schedule_time(make_schedule(chain, ring)), closed_form) << bytes;
    }
}

TEST(MessageOrder, MessagesThatMeetNowhereTakeTheLongestOfTheirChains)
{
    // 0 -> 1 -> 2 -> 3 beside 7 -> 6, and 3 waits for neither of the latter.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Collective both = ordered(
        {{0, 1, Bytes(100)}, {7, 6, Bytes(100'000)}, {1, 2, Bytes(200)}, {2, 3, Bytes(300)}},
        {{}, {}, {0}, {2}});
    EXPECT_EQ(run_alone(ring, both).time, nanoseconds(101'000));
    EXPECT_EQ(schedule_time(make_schedule(both, ring)), nanoseconds(101'000));
}

TEST(MessageOrder, IsTheSameThroughSystemCAndInTheEstimateOfAProgram)
{
    const Machine machine = machine_of("tpu_v5e", 16);
    const auto chain = graph_of({op_of(model::Vector{1 << 16, 8, model::DType::f32}),
                                 op_of(relay(16, 5, 300'000), {0}),
                                 op_of(model::Vector{1 << 16, 8, model::DType::f32}, {1})});
    EXPECT_EQ(estimated(machine, chain), simulated(machine, chain));
}

TEST(MessageOrder, AReduceAndABroadcastMakeAnAllReduce)
{
    // On a line of four: sums go to 1 from both ends, and come back.
    const Machine line = easy_machine(4, "1x4", {false, false});
    const Bytes bytes(4000);
    const Collective tree = ordered(
        {{0, 1, bytes}, {3, 2, bytes}, {2, 1, bytes}, {1, 0, bytes}, {1, 2, bytes}, {2, 3, bytes}},
        {{}, {}, {1}, {0, 2}, {0, 2}, {4}});
    EXPECT_EQ(run_alone(line, tree).time, nanoseconds(4 * (4000 + 1000)));
    EXPECT_EQ(schedule_time(make_schedule(tree, line)), nanoseconds(4 * (4000 + 1000)));
    EXPECT_GE(to_seconds(run_alone(line, tree).time).count(),
              model::collective_bound(tree, line).count());
}

TEST(MessageOrder, WaitsForADeviceThatComesLate)
{
    const Machine ring = easy_machine(4, "1x4", {false, true});
    auto works = std::make_shared<std::vector<model::Work>>();
    for (int device = 0; device < 4; ++device) {
        works->push_back(model::Vector{1024, device == 1 ? 4e6 : 4.0, model::DType::f32});
    }
    model::Op compute = op_of(works->at(1));
    compute.work_of_device = works;
    const auto steps = [&](int hops) {
        return graph_of({compute, op_of(relay(4, hops, 500), {0})});
    };
    // The first message does not need device 1, the second one does.
    const Picoseconds late = simulated(ring, graph_of({compute}));
    EXPECT_EQ(simulated(ring, steps(2)),
              late + to_picoseconds(ring.device.collective_launch) + nanoseconds(1500));
}

std::string refusal_of(const Collective& collective)
{
    try {
        make_schedule(collective, easy_machine(4, "1x4", {false, true}));
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(MessageOrder, RefusesWhatNeverLeaves)
{
    const Bytes bytes(8);
    EXPECT_EQ(refusal_of(ordered({{0, 1, bytes}, {1, 0, bytes}}, {{1}, {0}})),
              "collective/messages/0/after: found a message that waits for itself, through others; "
              "allowed: none");
    EXPECT_EQ(refusal_of(ordered({{0, 1, bytes}, {2, 3, bytes}}, {{}, {0}})),
              "collective/messages/1/after: found 0; allowed: messages, counted from 0, that come "
              "to device 2");
    EXPECT_EQ(refusal_of(ordered({{0, 1, bytes}, {1, 2, bytes}}, {{}, {7}})),
              "collective/messages/1/after: found 7; allowed: messages, counted from 0, that come "
              "to device 1");
    EXPECT_NE(refusal_of(ordered({{1, 1, bytes}}, {{}})).find("device 1 to itself"),
              std::string::npos);
}

TEST(MessageOrder, IsReadAndWritten)
{
    const Json json = Json::parse(R"({"work": "collective", "kind": "all_reduce", "messages": [
        {"source": 0, "destination": 1, "bytes": 5},
        {"source": 1, "destination": 2, "bytes": 6, "after": [0]}]})");
    const auto collective = std::get<Collective>(model::op_from_json(json, "op").work);
    EXPECT_EQ(*collective.after, (MessageOrder{{}, {0}}));
    EXPECT_EQ(collective.messages->at(1).bytes, Bytes(6));
    const Json again = model::to_json(model::op_from_json(json, "op"));
    EXPECT_EQ(model::to_json(model::op_from_json(again, "op")), again);
    Json circle = json;
    circle["messages"][0]["after"] = {1};
    EXPECT_THROW(model::op_from_json(circle, "op"), InputError);
}

} // namespace
} // namespace alxsim::sim
