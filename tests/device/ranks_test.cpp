// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_choice.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <cstdio>

/// Collectives whose groups are lists of devices.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::PairMessage;
using topologies::Machine;
using topologies::SliceRequest;

using Groups = std::vector<std::vector<int>>;

Collective among(Groups groups, CollectiveKind kind, std::int64_t bytes, int root = 0)
{
    Collective collective{kind, Bytes(bytes)};
    collective.root = root;
    collective.ranks = std::make_shared<const Groups>(std::move(groups));
    return collective;
}

constexpr std::array rank_kinds{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                CollectiveKind::all_reduce, CollectiveKind::broadcast,
                                CollectiveKind::reduce};

TEST(Ranks, PairsOfNeighboursOnARingSwapHalves)
{
    // A byte a nanosecond, a microsecond a hop.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Groups pairs{{0, 1}, {2, 3}, {4, 5}, {7, 6}};
    const auto time = [&](CollectiveKind kind, std::int64_t bytes) {
        return run_alone(ring, among(pairs, kind, bytes)).time;
    };
    EXPECT_EQ(time(CollectiveKind::all_gather, 2000), nanoseconds(1000 + 1000));
    EXPECT_EQ(time(CollectiveKind::reduce_scatter, 2000), nanoseconds(1000 + 1000));
    EXPECT_EQ(time(CollectiveKind::all_reduce, 20'000), nanoseconds(20'000 + 1000)); // at once
    EXPECT_EQ(time(CollectiveKind::broadcast, 500), nanoseconds(500 + 1000));
    EXPECT_EQ(time(CollectiveKind::reduce, 500), nanoseconds(500 + 1000));
    EXPECT_EQ(time(CollectiveKind::all_to_all, 2000), nanoseconds(1000 + 1000));
    EXPECT_EQ(time(CollectiveKind::permute, 500), nanoseconds(500 + 1000));
}

TEST(Ranks, ThatAreAWholeRingTakeWhatTheRingTakes)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    for (const CollectiveKind kind : rank_kinds) {
        for (const std::int64_t bytes : {800, 800'000}) {
            const Collective all = among({{0, 1, 2, 3, 4, 5, 6, 7}}, kind, bytes);
            EXPECT_EQ(run_alone(ring, all).time,
                      run_alone(ring, Collective{kind, Bytes(bytes)}).time);
        }
    }
}

TEST(Ranks, ThatLieApartShareTheLinksBetweenThem)
{
    // On a line of 4, 0 with 2 and 1 with 3: both pairs pass the middle.
    const Machine line = easy_machine(4, "1x4", {false, false});
    const std::int64_t half = 1 << 20;
    const Picoseconds one =
        run_alone(line, among({{0, 2}}, CollectiveKind::all_gather, 2 * half)).time;
    EXPECT_EQ(one, nanoseconds(half + 2000));
    const Picoseconds two =
        run_alone(line, among({{0, 2}, {1, 3}}, CollectiveKind::all_gather, 2 * half)).time;
    EXPECT_NEAR(two / nanoseconds(2 * half + 2000), 1, 0.01);
}

TEST(Ranks, OthersDoNotTakePart)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Outcome outcome = run_alone(ring, among({{2, 3}}, CollectiveKind::all_gather, 2000));
    EXPECT_EQ(outcome.completions, 8);
    for (const int device : {0, 1, 4, 5, 6, 7}) {
        EXPECT_EQ(outcome.done[static_cast<std::size_t>(device)], Picoseconds(0));
    }
    EXPECT_EQ(outcome.done[2], nanoseconds(2000));
    EXPECT_EQ(outcome.use.link_bytes, Bytes(2 * 1000));
}

struct RanksCase {
    Machine machine;
    Groups groups;
    bool apart; ///< no two of their messages to the next share a link
};

/// Rows, blocks and columns of 4 x 4 devices in a torus or mesh, in a ring or line, and on chips of
/// two devices.
std::vector<RanksCase> cases()
{
    const Groups rows{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
    const Groups blocks{{0, 1, 5, 4}, {2, 3, 7, 6}, {8, 9, 13, 12}, {10, 11, 15, 14}};
    const Groups columns{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
    std::vector<RanksCase> all;
    for (const bool wrap : {false, true}) {
        for (const Groups& groups : {rows, blocks, columns}) {
            const bool are_rows = groups == rows;
            all.push_back(
                {machine_of("tpu_v5e", SliceRequest{16, "4x4", {{wrap, wrap}}}), groups, true});
            all.push_back({machine_of("tpu_v5e", SliceRequest{16, "1x16", {{false, wrap}}}), groups,
                           are_rows});
            all.push_back(
                {machine_of("tpu_v3", SliceRequest{16, "2x4", {{wrap, wrap}}}), groups, are_rows});
        }
    }
    return all;
}

/// The schedule's time over the simulated one, less one.
double error_of(const RanksCase& one, const Collective& collective)
{
    const model::CollectiveSchedule schedule = model::make_schedule(collective, one.machine);
    const Outcome outcome = run_alone(one.machine, schedule);
    EXPECT_EQ(outcome.completions, one.machine.devices);
    EXPECT_GE(to_seconds(outcome.time).count(),
              model::collective_bound(collective, one.machine).count() - 1e-12);
    EXPECT_EQ(outcome.use.link_bytes, model::link_bytes(schedule, one.machine.devices));
    return model::schedule_time(schedule) / outcome.time - 1;
}

TEST(Ranks, TakeTheEstimatedTimeAndBeatNoBound)
{
    double worst_apart = 0;
    double worst = 0;
    for (const RanksCase& one : cases()) {
        for (const CollectiveKind kind : rank_kinds) {
            for (const std::int64_t bytes : {1 << 10, 1 << 17, 1 << 23}) {
                const Collective collective =
                    among(one.groups, kind, bytes, model::has_root(kind) ? 2 : 0);
                SCOPED_TRACE(one.machine.preset.name() + " " + one.machine.slice.shape() + ", " +
                             model::to_json(op_of(collective)).dump());
                const double error = error_of(one, collective);
                // Those that share links are replayed in larger packets where they are long.
                EXPECT_NEAR(error, 0, one.apart || bytes < 1 << 20 ? 1e-4 : 0.03);
                worst = std::max(worst, std::abs(error));
                worst_apart = std::max(worst_apart, one.apart ? std::abs(error) : 0);
            }
        }
    }
    std::printf("ranks: worst %.2f %%, apart %.2f %%\n", 100 * worst, 100 * worst_apart);
}

TEST(Ranks, ThatAreSpacedTakeAboutTheEstimatedTime)
{
    // Every second chip along both axes, or every fourth row.
    const Groups squares{{0, 2, 8, 10}, {1, 3, 9, 11}, {4, 6, 12, 14}, {5, 7, 13, 15}};
    const Groups pairs{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}};
    double worst = 0;
    for (const bool wrap : {false, true}) {
        const Machine machine = machine_of("tpu_v5e", SliceRequest{16, "4x4", {{wrap, wrap}}});
        for (const Groups& groups : {squares, pairs}) {
            for (const CollectiveKind kind : rank_kinds) {
                for (const std::int64_t bytes : {1 << 10, 1 << 17, 1 << 23}) {
                    const Collective collective = among(groups, kind, bytes);
                    SCOPED_TRACE(std::to_string(wrap) + " " +
                                 model::to_json(op_of(collective)).dump());
                    const double error = error_of({machine, groups, false}, collective);
                    // Replayed in larger packets where they are long.
                    EXPECT_NEAR(error, 0, bytes < 1 << 20 ? 1e-4 : 0.03);
                    worst = std::max(worst, std::abs(error));
                }
            }
        }
    }
    std::printf("spaced: worst %.2f %%\n", 100 * worst);
}

TEST(Ranks, RunInAProgramBesideOthers)
{
    const Machine torus = easy_machine(16, "4x4", {true, true});
    const Groups pairs{{0, 1}, {2, 3}, {9, 8}};
    const auto graph =
        graph_of({op_of(among(pairs, CollectiveKind::all_gather, 200'000)),
                  op_of(Collective{CollectiveKind::all_reduce, Bytes(100'000)}),
                  repeat_of(5, {op_of(among(pairs, CollectiveKind::all_reduce, 100'000))})});
    EXPECT_NEAR(estimated(torus, graph) / simulated(torus, graph), 1, 0.05);
}

TEST(Ranks, AreRefusedWhereTheyAreNoPartOfTheMachine)
{
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const auto refused = [&](Groups groups, int root = 0) {
        return model::refusal_of(among(std::move(groups), CollectiveKind::broadcast, 8, root),
                                 ring);
    };
    EXPECT_EQ(refused({{0, 8}}), "collective/group/ranks: found device 8; allowed: 0 to 7");
    EXPECT_EQ(refused({{0, 1}, {1, 2}}), "collective/group/ranks: found device 1 twice; allowed: "
                                         "every device in one group at most");
    EXPECT_EQ(refused({{0, 1}, {2}}), "collective/group/ranks: found groups of 2 and 1 devices; "
                                      "allowed: groups of one size");
    EXPECT_EQ(refused({{0, 1}}, 2),
              "collective/root: found 2; allowed: 0 to 1, the places in its group");
}

} // namespace
} // namespace alxsim::sim
