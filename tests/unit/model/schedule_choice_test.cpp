// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_choice.h"

#include "model/compiled_graph.h"
#include "model/explain_op.h"
#include "tests/unit/model/astra_cases.h"
#include "tests/unit/model/building.h"
#include "tests/unit/model/collective_times.h"
#include "tests/unit/model/plain_replay.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <set>

namespace alxsim::model {
namespace {

using topologies::Machine;

TEST(OneWay, GoesRoundARingInWholeShards)
{
    // A byte per nanosecond, a microsecond per hop: (k - 1) of both.
    for (const int chips : {3, 4, 5, 8}) {
        const Machine ring = easy_machine(chips, "1x" + std::to_string(chips), {false, true});
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
            EXPECT_EQ(time_of({kind, Bytes(chips * 700), {1, 1}}, ring),
                      nanoseconds((chips - 1) * (700 + 1000)))
                << chips;
        }
    }
}

TEST(OneWay, LeavesThePathOnTheChipAlone)
{
    // Both devices' shards over each link, three times, one's hop behind the other's bytes; then
    // four shards on the chip.
    EXPECT_EQ(time_of({CollectiveKind::all_gather, Bytes(8 * 10'000), {1, 1}},
                      easy_pairs(4, "1x4", {false, true})),
              nanoseconds(3 * 2 * 10'000 + 1000 + 4 * 10'000 + 1000));
}

TEST(OneWay, TakesAstraSimsTime)
{
    const std::vector<AstraCase> cases = astra_cases();
    ASSERT_FALSE(cases.empty());
    double worst = 0;
    for (const AstraCase& astra : cases) {
        const double error = time_of(astra.collective, astra.machine) / astra.time - 1;
        EXPECT_NEAR(error, 0, 0.001) << astra.which;
        worst = std::max(worst, std::abs(error));
    }
    RecordProperty("worst_error", std::to_string(worst));
}

TEST(AllColoursAndBothWays, AreAboutFourTimesFasterOnATorus)
{
    for (const int side : {4, 8}) {
        const std::string shape = std::to_string(side) + "x" + std::to_string(side);
        const Machine torus =
            machine_of("tpu_v5e", topologies::SliceRequest{side * side, shape, {{true, true}}});
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce}) {
            const Bytes bytes(std::int64_t{64} << 20);
            const double faster =
                time_of({kind, bytes, {1, 1}}, torus) / time_of({kind, bytes}, torus);
            EXPECT_GE(faster, 3.5) << shape;
            EXPECT_LE(faster, 4) << shape;
        }
    }
}

TEST(ScheduleOptions, ThatTheSliceDoesNotHaveAreRefused)
{
    const auto gather = [](int colours, int directions) {
        return Collective{CollectiveKind::all_gather, Bytes(8), {colours, directions}};
    };
    EXPECT_EQ(refusal_of(gather(3, 2), easy_machine(16, "4x4", {true, true})),
              "collective/schedule/colours: found 3 on a slice of 4x4 chips; allowed: 1 to 2, the "
              "number of torus axes of a group");
    EXPECT_EQ(refusal_of(gather(1, 1), easy_machine(16, "4x4", {true, false})),
              "collective/schedule/directions: found 1 on a slice of 4x4 chips, of which an axis "
              "does not wrap; allowed: 2, since on a line some must send up and some down");
    EXPECT_EQ(refusal_of({CollectiveKind::permute, Bytes(8), {1, 0}},
                         easy_machine(2, "1x2", {false, false})),
              "collective/schedule: found colours 1 for a permute; allowed: none, or directions 2 "
              "(one half to the "
              "next, one to the one before)");
}

TEST(ScheduleChoice, LetsAPermuteGoBothWaysAtOnce)
{
    const Machine ring = easy_machine(16, "4x4", {true, true});
    Collective one{CollectiveKind::permute, Bytes(1 << 20)};
    one.group = {"y"};
    Collective both = one;
    both.bytes = one.bytes * 2;
    both.schedule.directions = 2;
    EXPECT_EQ(schedule_time(make_schedule(both, ring)), schedule_time(make_schedule(one, ring)));
    EXPECT_EQ(collective_bound(both, ring), collective_bound(one, ring));
    const Machine line = easy_machine(16, "4x4", {false, false});
    EXPECT_GT(schedule_time(make_schedule(both, line)), schedule_time(make_schedule(one, line)));
    EXPECT_LE(collective_bound(both, line), to_seconds(schedule_time(make_schedule(both, line))));
    // Lists of devices that are no axis: each way its own messages.
    one.group.clear();
    one.ranks = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{0, 1, 5, 4}, {2, 3, 7, 6}});
    Collective both_of_lists = one;
    both_of_lists.bytes = one.bytes * 2;
    both_of_lists.schedule.directions = 2;
    EXPECT_EQ(make_schedule(one, ring).messages.size(), 8u);
    EXPECT_EQ(make_schedule(both_of_lists, ring).messages.size(), 16u);
    EXPECT_EQ(schedule_time(make_schedule(both_of_lists, ring)),
              schedule_time(make_schedule(one, ring)));
}

TEST(ScheduleChoice, IsNoSlowerThanAnyCandidate)
{
    const std::vector<Machine> machines{
        easy_machine(8, "1x8", {false, true}), easy_machine(32, "4x8", {true, true}),
        easy_machine(8, "2x4", {false, false}), easy_pairs(8, "2x4", {false, false}),
        machine_of("tpu_v4", 64)};
    for (const Machine& machine : machines) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            for (const std::int64_t bytes : {4, 1 << 12, 1 << 20}) {
                const Collective collective{kind, Bytes(bytes)};
                const Picoseconds chosen = time_of(collective, machine);
                for (const CollectiveSchedule& other : candidate_schedules(collective, machine)) {
                    EXPECT_LE(chosen, schedule_time(other)) << other.name;
                }
                EXPECT_EQ(chosen, ScheduleBook(machine).best(collective).time);
            }
        }
    }
}

TEST(ScheduleChoice, TriesOrdersOfAxesThatDiffer)
{
    const auto candidates = [](int chips, const std::string& shape,
                               const ScheduleOptions& options) {
        const Collective gather{CollectiveKind::all_gather, Bytes(1 << 20), options};
        return candidate_schedules(gather, easy_machine(chips, shape, {true, true}),
                                   ScheduleTimes::closed_form)
            .size();
    };
    EXPECT_EQ(candidates(8, "1x8", {}), 1u);
    EXPECT_EQ(candidates(16, "4x4", {}), 1u + 1u + 2u) << "two of one ring";
    EXPECT_EQ(candidates(32, "4x8", {}), 1u + 2u + 2u);
    EXPECT_EQ(candidates(32, "4x8", {1, 0}), 2u);
    EXPECT_EQ(candidates(32, "4x8", {2, 1}), 1u);
}

TEST(ScheduleChoice, AddsUpSmallArraysInHalfTheHops)
{
    const Machine torus = easy_machine(64, "8x8", {true, true});
    const auto name = [&](std::int64_t bytes) {
        return make_schedule({CollectiveKind::all_reduce, Bytes(bytes)}, torus).name;
    };
    EXPECT_EQ(name(4), "gather and add");
    EXPECT_EQ(name(64 << 20), "2 colours, both directions");
    // 4 hops and (k - 1)/2 times the array along either axis.
    EXPECT_EQ(time_of({CollectiveKind::all_reduce, Bytes(4)}, torus),
              nanoseconds(2 * (4 * 1000 + 14)));
}

TEST(ScheduleChoice, IsNamedInTheExplanation)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    const Op op = op_of(Collective{CollectiveKind::all_gather, Bytes(1 << 20)});
    EXPECT_NE(explain_op(op, torus).why.find("; schedule: 2 colours, both directions"),
              std::string::npos)
        << explain_op(op, torus).why;
}

/// Some colours up, some down.
bool goes_one_way(const CollectiveSchedule& schedule)
{
    const std::vector<AxisPhase>& phases = schedule.colours.front().phases;
    return !phases.empty() && phases.front().directions == 1;
}

TEST(ScheduleTime, IsThatOfThePlainReplay)
{
    std::vector<Machine> machines;
    for (const int cores : {2, 4, 8, 16, 32, 64, 128}) {
        machines.push_back(machine_of("tpu_v3", cores));
    }
    for (const std::string chip : {"tpu_v4", "tpu_7x"}) {
        machines.push_back(machine_of(chip, 64));
        machines.push_back(machine_of(chip, 128));
    }
    for (const std::vector<bool>& wrap :
         {std::vector<bool>{false, false}, {true, true}, {false, true}}) {
        machines.push_back(easy_pairs(15, "3x5", wrap));
        machines.push_back(easy_machine(32, "4x8", wrap));
    }
    for (const Machine& machine : machines) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::permute,
              CollectiveKind::broadcast}) {
            for (const std::int64_t bytes : {4, 100'003, 1 << 20}) {
                for (const CollectiveSchedule& schedule :
                     candidate_schedules({kind, Bytes(bytes)}, machine)) {
                    if (bytes == 4 && goes_one_way(schedule)) {
                        continue; // of what comes in one moment another is first
                    }
                    EXPECT_EQ(schedule_time(schedule), PlainReplay(schedule).finish())
                        << machine.preset.name() << " " << machine.slice.shape() << " "
                        << schedule.name << " " << bytes;
                }
            }
        }
    }
}

TEST(ScheduleBook, KeepsWhatItFound)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    ScheduleBook book(torus);
    const Collective gather{CollectiveKind::all_gather, Bytes(1 << 20)};
    const auto first = book.best(gather).schedule;
    EXPECT_EQ(book.best(gather).schedule, first);
    EXPECT_NE(book.best({CollectiveKind::all_gather, Bytes(1 << 20), {1, 0}}).schedule, first);
}

TEST(ScheduleBook, TellsGroupsAlgorithmsAndMessagesApart)
{
    const Machine torus = easy_machine(32, "4x8", {true, true});
    ScheduleBook book(torus);
    const auto schedule_of = [&book](const Collective& collective) {
        return book.best(collective).schedule;
    };
    Collective exchange{CollectiveKind::all_to_all, Bytes(1 << 20)};
    const auto plain = schedule_of(exchange);
    exchange.schedule.algorithm = ScheduleAlgorithm::routed;
    const auto routed = schedule_of(exchange);
    exchange.group = {"x", "y"};
    const auto grouped = schedule_of(exchange);
    exchange.group = {"y", "x"};
    EXPECT_EQ(schedule_of(exchange), grouped);
    exchange.group = {"y"};
    const auto narrow = schedule_of(exchange);
    exchange.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 1, Bytes(5)}});
    const auto listed = schedule_of(exchange);
    EXPECT_EQ(std::set({plain, routed, grouped, narrow, listed}).size(), 5u);
}

TEST(ScheduleBook, KeepsTheLastOnesWithMessages)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    ScheduleBook book(torus);
    Collective exchange{CollectiveKind::all_to_all, Bytes(8)};
    const auto send = [&exchange](std::int64_t bytes) {
        exchange.messages = std::make_shared<const std::vector<PairMessage>>(
            std::vector<PairMessage>{{0, 1, Bytes(bytes)}});
        return exchange.messages;
    };
    const auto first = send(5);
    const std::weak_ptr<const CollectiveSchedule> kept = book.best(exchange).schedule;
    EXPECT_EQ(book.best(exchange).schedule, kept.lock());
    for (int bytes = 6; bytes < 100; ++bytes) {
        send(bytes);
        EXPECT_EQ(book.best(exchange).schedule->messages.front().bytes, Bytes(bytes));
    }
    EXPECT_TRUE(kept.expired());
}

TEST(ScheduleBook, BuildsCandidatesOfDrawsAgainWherePacketsHaveAnotherLengthOnly)
{
    // Chunks of a spread are no smaller than packets; rates and latencies change no phase.
    const auto drawn = [](const char* key, double value) {
        return machine_of("tpu_v4", topologies::SliceRequest{128, "4x4x4", {}}, {{key, value}});
    };
    const Machine central = machine_of("tpu_v4", topologies::SliceRequest{128, "4x4x4", {}});
    const Machine slower = drawn("ici_link_bw_effective_frac", 0.8);
    const Machine shorter = drawn("ici_packet_bytes", 512);
    Collective spread{CollectiveKind::broadcast, Bytes(1 << 17)};
    spread.ranks = std::make_shared<const std::vector<std::vector<int>>>(
        std::vector<std::vector<int>>{{0, 2, 8, 10, 32, 34, 40, 42}});
    ScheduleBook book(ScheduleTimes::closed_form);
    const auto built_on = [&](const Machine& machine) {
        const std::int64_t before = book.phases_built();
        book.use(machine);
        book.best(spread);
        book.best({CollectiveKind::all_reduce, Bytes(1 << 20)});
        return book.phases_built() - before;
    };
    EXPECT_GT(built_on(central), 0);
    EXPECT_EQ(built_on(central), 0);
    EXPECT_EQ(built_on(slower), 0);
    EXPECT_GT(built_on(shorter), 0);
}

// Two sides of a box that are as long differ by the wire alone, if chips of others lie along one.
TEST(ScheduleBook, ChoosesAmongPartsOfAxesAsANewOne)
{
    const std::vector<double> software{0, 1, 0.5};
    std::vector<Machine> machines;
    for (const double share : software) {
        machines.push_back(machine_of("tpu_v5e", topologies::SliceRequest{64, "8x8", {}},
                                      {{"ici_hop_software_frac", share}}));
    }
    const auto chip = [&](int x, int y) { return machines.front().slice.chip_at({x, y}); };
    std::vector<std::vector<int>> boxes;
    for (int x = 0; x < 8; x += 4) {
        for (int y = 0; y < 8; y += 2) {
            boxes.push_back({chip(x, y), chip(x, y + 1), chip(x + 2, y), chip(x + 2, y + 1)});
        }
    }
    ScheduleBook book(machines.front(), ScheduleTimes::closed_form);
    for (const std::size_t which : {0, 1, 2, 0, 2, 1, 0}) {
        book.use(machines[which]);
        ScheduleBook new_book(machines[which], ScheduleTimes::closed_form);
        for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce,
                                          CollectiveKind::reduce_scatter}) {
            Collective among{kind, Bytes(4 << 10)};
            among.ranks = std::make_shared<const std::vector<std::vector<int>>>(boxes);
            const TimedSchedule once = book.best(among);
            const TimedSchedule anew = new_book.best(among);
            EXPECT_EQ(once.time, anew.time) << software[which];
            EXPECT_EQ(once.schedule->name, anew.schedule->name) << software[which];
            EXPECT_EQ(once.schedule->axes, anew.schedule->axes) << software[which];
            EXPECT_TRUE(once.schedule->colours.front().phases ==
                        anew.schedule->colours.front().phases)
                << software[which];
        }
    }
}

// A reduce-scatter and an all-gather that are the quickest where a hop takes a microsecond need not
// be where it takes a tenth.
TEST(ScheduleBook, LooksForTheQuickestPartsOnEachNetwork)
{
    const auto with_latency = [](double seconds) {
        return machine_of("tpu_v5e", topologies::SliceRequest{32, "4x8", {}},
                          {{"ici_hop_latency_s", seconds}});
    };
    const Machine slow = with_latency(1e-6);
    const Machine quick = with_latency(1e-7);
    const Collective sum{CollectiveKind::reduce, Bytes(4 << 20)};
    ScheduleBook book;
    book.use(slow);
    const TimedSchedule of_slow = book.best(sum);
    book.use(quick);
    const TimedSchedule once = book.best(sum);
    const TimedSchedule anew = ScheduleBook(quick).best(sum);
    EXPECT_EQ(once.time, anew.time);
    EXPECT_EQ(once.schedule->name, anew.schedule->name);
    EXPECT_NE(once.schedule->name, of_slow.schedule->name);
    EXPECT_GT(once.schedule->then, 0);
}

TEST(ScheduleBook, IsSharedByEqualCollectivesOfACompilation)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    const Op gather = op_of(Collective{CollectiveKind::all_gather, Bytes(1 << 20)});
    PhaseNames phases;
    const auto graph = graph_of({gather, repeat_of(3, {gather}), gather});
    const auto compiled = compile(*graph, {}, torus, phases);
    EXPECT_EQ(compiled->ops[0].schedule, compiled->ops[2].schedule);
    EXPECT_EQ(compiled->ops[0].schedule, compiled->ops[1].body->ops[0].schedule);
}

} // namespace
} // namespace alxsim::model
