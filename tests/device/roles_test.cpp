// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/graph/memory.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <numeric>

/// Steps in which not all devices do the same.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::Op;
using model::OpGraph;
using model::PairMessage;
using topologies::Machine;

Op compute(int rounds, std::vector<int> after = {})
{
    return op_of(model::Vector{1 << 20, static_cast<double>(rounds), model::DType::f32},
                 std::move(after), "compute");
}

/// So many bytes from each device of a stage to the same one of the next; `name` is where they
/// meet.
Op hand_over(const std::string& name, int from, int width, std::int64_t bytes,
             std::vector<int> after = {})
{
    std::vector<PairMessage> messages;
    for (int i = 0; i < width; ++i) {
        messages.push_back({from + i, from + width + i, Bytes(bytes)});
    }
    Collective collective{CollectiveKind::permute, Bytes(bytes)};
    collective.messages = std::make_shared<const std::vector<PairMessage>>(std::move(messages));
    Op op = op_of(collective, std::move(after), "activations");
    op.name = name;
    return op;
}

/// `stages` stages of `width` devices each: every microbatch is computed and passed on.
std::shared_ptr<const OpGraph> pipeline(int stages, int width, int microbatches, int rounds,
                                        std::int64_t bytes)
{
    auto step = std::make_shared<OpGraph>();
    for (int stage = 0; stage < stages; ++stage) {
        std::vector<Op> body;
        if (stage > 0) {
            body.push_back(
                hand_over("to " + std::to_string(stage), (stage - 1) * width, width, bytes));
        }
        body.push_back(compute(rounds, stage > 0 ? std::vector<int>{0} : std::vector<int>{}));
        if (stage + 1 < stages) {
            body.push_back(hand_over("to " + std::to_string(stage + 1), stage * width, width, bytes,
                                     {static_cast<int>(body.size()) - 1}));
        }
        std::vector<int> devices(static_cast<std::size_t>(width));
        std::iota(devices.begin(), devices.end(), stage * width);
        step->roles.push_back({devices, graph_of({repeat_of(microbatches, std::move(body))})});
    }
    return step;
}

/// What it takes on a device: the loop's control, an op, a launch, a message to a neighbour.
struct Parts {
    explicit Parts(const Machine& machine, int rounds, std::int64_t bytes)
        : control(to_picoseconds(machine.device.while_iteration)),
          computing(simulated(machine, compute(rounds))),
          launch(to_picoseconds(machine.device.collective_launch)),
          transfer(nanoseconds(bytes + 1000))
    {
    }

    Picoseconds control, computing, launch, transfer;
};

TEST(Roles, EachDeviceCountsWhatItDoesAndHowLongItWaits)
{
    // The first computes and sends; the second waits for it, and then computes a third as long.
    const Machine machine = easy_machine(2, "1x2", {false, false});
    const std::int64_t bytes = 100'000;
    auto step = std::make_shared<OpGraph>();
    step->roles = {{{0}, graph_of({compute(3000), hand_over("pass", 0, 1, bytes, {0})})},
                   {{1}, graph_of({hand_over("pass", 0, 1, bytes), compute(1000, {0})})}};
    const sim::Statistics counted = simulate(machine, steps_of(step)).statistics;
    const auto each = [&](const char* name) { return counted.at(name).of_each; };

    const Picoseconds long_op = simulated(machine, compute(3000));
    const Picoseconds overhead = to_picoseconds(machine.device.op_overhead);
    EXPECT_EQ(each("vpu_busy")[0], (long_op - overhead).count());
    EXPECT_NEAR(each("vpu_busy")[0], 3 * each("vpu_busy")[1], 2); // rounded to picoseconds
    EXPECT_EQ(each("collective_wait"), (std::vector<std::int64_t>{0, long_op.count()}));
    const Parts parts(machine, 3000, bytes);
    EXPECT_EQ(each("collective_transfer"),
              std::vector<std::int64_t>(2, (parts.launch + parts.transfer).count()));
    EXPECT_EQ(each("link_bytes"), (std::vector<std::int64_t>{bytes, 0}));
    EXPECT_EQ(each("link_busy"), (std::vector<std::int64_t>{nanoseconds(bytes).count(), 0}));
    EXPECT_EQ(each("ops_executed"), (std::vector<std::int64_t>{2, 2}));
}

TEST(Roles, APipelineOfTwoStagesTakesItsMicrobatchesAndOneStageMore)
{
    // A byte a nanosecond, a microsecond a hop. The first stage is held until what it sends has
    // come, so its time holds the transfer; the second computes the last microbatch alone.
    const Machine machine = easy_machine(2, "1x2", {false, false});
    const std::int64_t bytes = 100'000;
    const Parts parts(machine, 3000, bytes);
    for (const int microbatches : {1, 2, 7}) {
        const auto step = pipeline(2, 1, microbatches, 3000, bytes);
        const Picoseconds stage = parts.control + parts.computing + parts.launch + parts.transfer;
        const Picoseconds closed_form = stage * microbatches + parts.computing;
        EXPECT_EQ(simulated(machine, step), closed_form) << microbatches;
        EXPECT_EQ(estimated(machine, step), closed_form) << microbatches;
    }
}

/// A pipeline on 16 chips, of which those that are in no stage rest.
double estimated_over_simulated(int stages, int width)
{
    const Machine machine = machine_of("tpu_v5e", 16);
    auto step = std::make_shared<OpGraph>(*pipeline(stages, width, 10, 500, 1 << 18));
    if (stages * width < machine.devices) {
        std::vector<int> rest(static_cast<std::size_t>(machine.devices - stages * width));
        std::iota(rest.begin(), rest.end(), stages * width);
        step->roles.push_back({rest, graph_of({})});
    }
    const std::shared_ptr<const OpGraph> graph = step;
    return estimated(machine, graph) / simulated(machine, graph);
}

TEST(Roles, APipelineOfManyStagesTakesWhatIsEstimated)
{
    for (const auto& [stages, width] : {std::pair(2, 4), {3, 4}, {4, 4}, {3, 1}, {8, 1}, {16, 1}}) {
        EXPECT_NEAR(estimated_over_simulated(stages, width), 1, 1e-6) << stages << " of " << width;
    }
}

TEST(Roles, WhoseMessagesShareLinksDriftApartAndAreFasterThanEstimated)
{
    // Stages of half a row: both messages of a stage pass one link, unless one device is ahead.
    for (const int stages : {3, 4, 8}) {
        const double ratio = estimated_over_simulated(stages, 2);
        EXPECT_GT(ratio, 1) << stages;
        EXPECT_LT(ratio, 1.1) << stages;
    }
}

TEST(Roles, StagesHaveCollectivesOfTheirOwn)
{
    // Two stages of four on a mesh of 2 x 4, tensor-parallel within; "all" are those of the role.
    const Machine machine = easy_machine(8, "2x4", {false, false});
    const auto step = [&](const Collective& within) {
        auto graph = std::make_shared<OpGraph>();
        graph->roles.push_back({{0, 1, 2, 3},
                                graph_of({compute(100), op_of(within, {0}, "tensor"),
                                          hand_over("pass on", 0, 4, 1000, {1})})});
        graph->roles.push_back({{4, 5, 6, 7},
                                graph_of({hand_over("pass on", 0, 4, 1000), compute(100, {0}),
                                          op_of(within, {1}, "tensor")})});
        return graph;
    };
    const Collective all{CollectiveKind::all_reduce, Bytes(1 << 16)};
    Collective by_mesh = all;
    by_mesh.group = {"tensor"};
    by_mesh.mesh = std::make_shared<const model::Mesh>(model::Mesh{{"stage", 2}, {"tensor", 4}});
    const Picoseconds time = simulated(machine, step(all));
    EXPECT_EQ(simulated(machine, step(by_mesh)), time);
    EXPECT_NEAR(estimated(machine, step(all)) / time, 1, 0.05);
    by_mesh.mesh =
        std::make_shared<const model::Mesh>(model::Mesh{{"stage", 2}, {"tensor", 2'000'000'000}});
    EXPECT_THROW(estimated(machine, step(by_mesh)), InputError); // at once, and in no memory
}

TEST(Roles, OneRoleForAllIsTheProgramWithoutRoles)
{
    const Machine machine = easy_machine(4, "1x4", {false, false});
    Collective messages{CollectiveKind::all_to_all, Bytes(500)};
    messages.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 1, Bytes(500)}, {1, 2, Bytes(700)}, {3, 2, Bytes(100)}});
    const auto ops = graph_of({compute(10), op_of(messages, {0}), compute(20, {1})});
    auto roles = std::make_shared<OpGraph>();
    roles->roles = {{{0, 1, 2, 3}, ops}};
    EXPECT_EQ(simulated(machine, std::shared_ptr<const OpGraph>(roles)), simulated(machine, ops));
    EXPECT_EQ(estimated(machine, std::shared_ptr<const OpGraph>(roles)), estimated(machine, ops));
}

TEST(Roles, ThatShareNothingRunSideBySide)
{
    const Machine machine = easy_machine(2, "1x2", {false, false});
    auto step = std::make_shared<OpGraph>();
    step->roles = {{{0}, graph_of({compute(100)})}, {{1}, graph_of({compute(3000)})}};
    const std::shared_ptr<const OpGraph> both = step;
    EXPECT_EQ(simulated(machine, both), simulated(machine, compute(3000)));
    EXPECT_EQ(estimated(machine, both), simulated(machine, compute(3000)));
}

TEST(Roles, StepsFollowEachOtherOnEveryDeviceByItself)
{
    const Machine machine = easy_machine(2, "1x2", {false, false});
    const auto step = pipeline(2, 1, 3, 100, 1000);
    const SimulationResult once = simulate(machine, steps_of(step));
    const SimulationResult thrice = simulate(machine, steps_of(step, 3));
    EXPECT_GT(thrice.epochs.at(0).finish, once.epochs.at(0).finish);
    EXPECT_LT(thrice.epochs.at(0).finish, once.epochs.at(0).finish * 3);
}

TEST(Roles, NeedTheMemoryOfTheRoleThatNeedsMost)
{
    const Machine machine = easy_machine(2, "1x2", {false, false});
    auto step = std::make_shared<OpGraph>();
    for (const std::int64_t bytes : {1000, 3000}) {
        OpGraph role;
        role.buffers = {{"weights", Bytes(bytes), model::Residency::hbm}};
        step->roles.push_back(
            {{static_cast<int>(step->roles.size())}, std::make_shared<const OpGraph>(role)});
    }
    EXPECT_EQ(model::memory_fit({{{step, {}, 1}, 1}}, machine).needed, Bytes(3000));
}

std::string refusal_of(const OpGraph& graph)
{
    try {
        simulated(easy_machine(4, "1x4", {false, false}), std::make_shared<const OpGraph>(graph));
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(Roles, AreRefusedWhereDevicesWouldWaitForEver)
{
    const auto nothing = graph_of({});
    OpGraph graph;
    graph.roles = {{{0, 1}, nothing}, {{2}, nothing}};
    EXPECT_EQ(refusal_of(graph),
              "roles: found none for device 3; allowed: one role for each of the 4 devices");
    graph.roles = {{{0, 1}, nothing}, {{1, 2, 3}, nothing}};
    EXPECT_EQ(refusal_of(graph),
              "roles/1/devices: found device 1 a second time; allowed: one role for each");
    graph.roles = {{{0, 1}, graph_of({hand_over("x", 0, 2, 1)})}, {{2, 3}, nothing}};
    EXPECT_EQ(refusal_of(graph),
              "collective 'x' of a role: found device 2, whose role 1 has no collective of that "
              "name; allowed: one in the role of every device that takes part");
    graph.roles = {{{0, 1}, graph_of({hand_over("x", 0, 2, 1)})},
                   {{2, 3}, graph_of({hand_over("x", 0, 2, 9)})}};
    EXPECT_EQ(refusal_of(graph), "collective 'x' of a role: found two that differ under one name; "
                                 "allowed: the same wherever devices meet");
    Collective axis{CollectiveKind::all_reduce, Bytes(1)};
    axis.group = {"y"};
    graph.roles = {{{0, 1}, graph_of({op_of(axis)})}, {{2, 3}, nothing}};
    EXPECT_NE(refusal_of(graph).find("found axes of the network"), std::string::npos);
}

TEST(Roles, AreReadAndWritten)
{
    const Json json = Json::parse(R"({"roles": [
        {"devices": ["0-2"], "graph": {"ops": [{"work": "vector", "elements": 5,
                                                "reads": [{"buffer": "a", "bytes": 4}],
                                                "writes": []}]}},
        {"devices": [3], "graph": {"ops": []}}]})");
    const OpGraph graph = model::op_graph_from_json(json, "graph.json");
    ASSERT_EQ(graph.roles.size(), 2u);
    EXPECT_EQ(graph.roles[0].devices, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(graph.roles[0].graph->buffers.at(0).bytes, Bytes(4));
    const Json again = model::to_json(graph);
    EXPECT_EQ(model::to_json(model::op_graph_from_json(again, "graph.json")), again);
    for (const char* const wrong : {R"({"name": "neither"})", R"({"ops": [], "roles": []})",
                                    R"({"roles": [{"devices": ["2-0"], "graph": {"ops": []}}]})"}) {
        EXPECT_THROW(model::op_graph_from_json(Json::parse(wrong), "graph.json"), InputError);
    }
}

} // namespace
} // namespace alxsim::sim
