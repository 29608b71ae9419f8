// SPDX-License-Identifier: Apache-2.0
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::PairMessage;
using topologies::Machine;
using topologies::SliceRequest;

// On easy machines a full packet of 4096 bytes takes 4096 ns, a hop a microsecond.
constexpr std::int64_t packet = 4096;

Machine easy_line(int chips)
{
    return easy_machine(chips, "1x" + std::to_string(chips), {false, false});
}
Machine easy_ring(int chips)
{
    return easy_machine(chips, "1x" + std::to_string(chips), {false, true});
}

Collective permute_of(std::vector<PairMessage> messages)
{
    return {CollectiveKind::permute,
            messages.front().bytes,
            {},
            {},
            std::make_shared<const std::vector<PairMessage>>(std::move(messages))};
}

Schedule schedule_of(const Collective& collective, const Machine& machine)
{
    return std::make_shared<const model::CollectiveSchedule>(
        model::make_schedule(collective, machine));
}

// --- Several at once
// ----------------------------------------------------------------------------------

TEST(NetworkSharing, TwoMessagesOfAPermuteGetHalfALinkEach)
{
    const Machine line = easy_line(3);
    const Bytes bytes(100 * packet);
    const Picoseconds wire = nanoseconds(100 * packet);
    EXPECT_EQ(run_alone(line, permute_of({{0, 2, bytes}})).time, wire + nanoseconds(2000));
    EXPECT_EQ(run_alone(line, permute_of({{1, 2, bytes}})).time, wire + nanoseconds(1000));
    // The link of both is never without work; taking turns, they end a packet apart.
    const Outcome both = run_alone(line, permute_of({{0, 2, bytes}, {1, 2, bytes}}));
    EXPECT_EQ(both.time, wire * 2 + nanoseconds(1000));
    EXPECT_EQ(std::min(both.done[0], both.done[1]), both.time - nanoseconds(packet));
}

TEST(NetworkSharing, WhatEntersToGoFarWaitsForWhatIsOnItsWay)
{
    const Machine line = easy_line(4);
    const Bytes bytes(100 * packet);
    const Picoseconds wire = nanoseconds(100 * packet);
    const Outcome both = run_alone(line, permute_of({{0, 3, bytes}, {1, 3, bytes}}));
    EXPECT_EQ(both.time, wire * 2 + nanoseconds(2000));
    // A packet of chip 1's message has gone by when the other one's first comes, a hop later.
    EXPECT_EQ(both.done[0], wire + nanoseconds(3000 + packet - 1000));
    EXPECT_EQ(both.done[1], both.time);
}

TEST(NetworkSharing, MessagesOfAPermuteThatDoNotMeetDoNotDisturb)
{
    const Machine ring = easy_ring(8);
    const Bytes bytes(100 * packet);
    const Outcome both = run_alone(ring, permute_of({{0, 2, bytes}, {4, 2, bytes}}));
    EXPECT_EQ(both.time, nanoseconds(100 * packet + 2000));
}

TEST(NetworkSharing, TwoCollectivesAtOnceShareTheirLinks)
{
    const Machine ring = easy_ring(8);
    const Schedule shift = schedule_of({CollectiveKind::permute, Bytes(50 * packet)}, ring);
    const Outcome one = run_together(ring, {shift});
    EXPECT_EQ(one.time, nanoseconds(50 * packet + 1000));
    const Outcome two = run_together(ring, {shift, shift});
    EXPECT_EQ(two.time, nanoseconds(100 * packet + 1000));
    EXPECT_EQ(two.completions, 16);
    EXPECT_EQ(two.use.link_bytes, one.use.link_bytes * 2);
}

TEST(NetworkSharing, TwoCollectivesInOtherDirectionsDoNotDisturb)
{
    // A shift goes up, messages to the chip below go down.
    const Machine ring = easy_ring(8);
    const Bytes bytes(50 * packet);
    std::vector<PairMessage> below;
    for (int device = 0; device < 8; ++device) {
        below.push_back({device, (device + 7) % 8, bytes});
    }
    const Outcome both = run_together(ring, {schedule_of({CollectiveKind::permute, bytes}, ring),
                                             schedule_of(permute_of(below), ring)});
    EXPECT_EQ(both.time, nanoseconds(50 * packet + 1000));
}

TEST(NetworkSharing, AMessageAcrossARingCollectiveCostsItsShareOfTheLink)
{
    const Machine ring = easy_ring(8);
    const Schedule gather =
        schedule_of({CollectiveKind::all_gather, Bytes(8 * 100 * packet)}, ring);
    const Bytes bytes(60 * packet);
    const Outcome alone = run_together(ring, {gather});
    const Outcome both =
        run_together(ring, {gather, schedule_of(permute_of({{0, 1, bytes}}), ring)});
    // The link carries the message on top of half of the seven shards of others, whose last comes
    // by after three hops at the most.
    const Picoseconds carried = nanoseconds(350 * packet + 60 * packet);
    EXPECT_GE(both.time, carried + nanoseconds(1000));
    EXPECT_LE(both.time, alone.time + nanoseconds(60 * packet));
    EXPECT_EQ(both.use.link_bytes, alone.use.link_bytes + bytes);
    EXPECT_EQ(both.completions, 16);
}

TEST(NetworkSharing, ALateMemberHoldsUpThoseThatWaitForItOnly)
{
    // On a line of three messages go up: 0 to 1 and 1 to 2. Chip 1 is ready late.
    const Machine line = easy_line(3);
    const Schedule schedule =
        schedule_of(permute_of({{0, 1, Bytes(packet)}, {1, 2, Bytes(packet)}}), line);
    const FreshContext context;
    Network network("network", line);
    std::vector<Picoseconds> done(3);
    for (int device = 0; device < 3; ++device) {
        const Picoseconds ready = nanoseconds(device == 1 ? 50'000 : 1000);
        network.enter(device, schedule, ready, ready, {}, [&done, device](const CollectiveDone&) {
            done[static_cast<std::size_t>(device)] = now();
        });
    }
    sc_core::sc_start();
    EXPECT_EQ(done[0], nanoseconds(1000 + packet + 1000));
    EXPECT_EQ(done[2], nanoseconds(50'000 + packet + 1000));
    EXPECT_EQ(done[1], done[2]);
}

// --- Faults
// -------------------------------------------------------------------------------------------

TEST(NetworkFaults, ARingTakesThePaceOfItsSlowLink)
{
    // The slow link, never without work, passes 3.5 shards; the last is used at its far end.
    const std::int64_t shard = 10 * packet;
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
        for (const int slower : {2, 4}) {
            Machine ring = easy_ring(8);
            ring.faults.links = {{5, 1, 1.0 / slower}};
            EXPECT_EQ(run_alone(ring, {kind, Bytes(8 * shard)}).time,
                      nanoseconds(slower * 7 * shard / 2 + 1000));
        }
    }
}

TEST(NetworkFaults, TheScheduleOfARingWithASlowLinkIsNeverTooShort)
{
    // It slows every link, and so counts each hop's latency where one slow link hides most of them.
    const Machine healthy = machine_of("tpu_v5e", SliceRequest{8, "1x8", {{false, true}}});
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce}) {
        for (const std::int64_t bytes : {1 << 10, 1 << 20, 8 << 20, 64 << 20}) {
            const Collective collective{kind, Bytes(bytes)};
            for (const double fraction : {0.25, 0.5, 0.9}) {
                Machine slow = healthy;
                slow.faults.links = {{5, 1, fraction}};
                const model::CollectiveSchedule schedule = model::make_schedule(collective, slow);
                const Outcome outcome = run_alone(slow, schedule);
                const double share = outcome.time / model::schedule_time(schedule);
                SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " +
                             std::to_string(bytes) + " bytes at " + std::to_string(fraction));
                EXPECT_LE(share, 1);
                EXPECT_GE(share, bytes >= 64 << 20 ? 0.98 : 0.8);
                EXPECT_GT(outcome.time, run_alone(healthy, schedule).time);
                EXPECT_EQ(outcome.use.link_bytes, model::link_bytes(schedule, slow.devices));
            }
        }
    }
}

TEST(NetworkFaults, ARingGoesRoundItsDeadLink)
{
    const Machine healthy = easy_ring(8);
    Machine broken = healthy;
    broken.faults.links = {{2, 1, 0}};
    const std::int64_t shard = 10 * packet;
    const Collective gather{CollectiveKind::all_gather, Bytes(8 * shard)};
    const Outcome whole = run_alone(healthy, gather);
    const Outcome round = run_alone(broken, gather);
    EXPECT_GT(round.time, whole.time);
    EXPECT_EQ(round.completions, 8);
    EXPECT_TRUE(round.idle);
    // What the link carried, 3.5 shards each way, goes over the seven others.
    EXPECT_EQ(whole.use.link_bytes, Bytes(16 * 7 * shard / 2));
    EXPECT_EQ(round.use.link_bytes, whole.use.link_bytes + Bytes(6 * 7 * shard));
}

TEST(NetworkFaults, AMessageGoesRoundADeadLink)
{
    Machine broken = easy_ring(8);
    broken.faults.links = {{2, 1, 0}};
    const Outcome round = run_alone(broken, permute_of({{2, 3, Bytes(10 * packet)}}));
    EXPECT_EQ(round.time, nanoseconds(10 * packet + 7 * 1000));
}

TEST(NetworkFaults, ATorusWithADeadLinkFinishesEveryCollective)
{
    const Machine healthy = easy_machine(16, "4x4", {true, true});
    Machine broken = healthy;
    broken.faults.links = {{5, 0, 0}, {6, 1, 0.5}};
    for (int kind = 0; kind < 7; ++kind) {
        const Collective collective{static_cast<CollectiveKind>(kind), Bytes(16 * 10 * packet)};
        const model::CollectiveSchedule schedule = model::make_schedule(collective, broken);
        const Outcome outcome = run_alone(broken, schedule);
        EXPECT_EQ(outcome.completions, 16) << "kind " << kind;
        EXPECT_TRUE(outcome.idle) << "kind " << kind;
        EXPECT_GE(outcome.time, run_alone(healthy, schedule).time) << "kind " << kind;
        EXPECT_GE(to_seconds(outcome.time).count(),
                  model::collective_bound(collective, broken).count() - 1e-12)
            << "kind " << kind;
    }
}

// --- Who pays for a hop
// -------------------------------------------------------------------------------

Machine with_software(double share)
{
    return machine_of("tpu_v5e", SliceRequest{8, "1x8", {{false, true}}},
                      {{"ici_link_bw_oneway", 1e9},
                       {"ici_link_bw_effective_frac", 1},
                       {"ici_hop_latency_s", 1e-6},
                       {"ici_hop_software_frac", share}});
}

TEST(HopLatency, OfARingStepIsTheSameInSoftwareAndOnTheWire)
{
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::all_reduce, CollectiveKind::permute}) {
        const Collective collective{kind, Bytes(8 * 700)};
        EXPECT_EQ(run_alone(with_software(0), collective).time,
                  run_alone(with_software(1), collective).time);
    }
}

TEST(HopLatency, OfARoutedMessageIsPaidOnceInSoftware)
{
    const Collective message = permute_of({{0, 3, Bytes(700)}});
    EXPECT_EQ(run_alone(with_software(0), message).time, nanoseconds(700 + 3000));
    EXPECT_EQ(run_alone(with_software(0.5), message).time, nanoseconds(700 + 1500 + 500));
    EXPECT_EQ(run_alone(with_software(1), message).time, nanoseconds(700 + 1000));
}

TEST(HopLatency, InSoftwareMakesARoutedAllToAllCheaper)
{
    // Buffers must be the same for that: by default they grow with the latency of the wire.
    const auto time = [](double share) {
        Machine ring = with_software(share);
        ring.network.vc_buffer = Bytes(1 << 20);
        Collective routed{CollectiveKind::all_to_all, Bytes(8 * 70)};
        routed.schedule.algorithm = model::ScheduleAlgorithm::routed;
        return run_alone(ring, routed).time;
    };
    EXPECT_LT(time(1), time(0));
}

// --- Remembering
// --------------------------------------------------------------------------------------

/// What a loop of collectives did.
struct LoopOutcome {
    std::vector<std::vector<Picoseconds>> done; ///< [iteration][device]
    NetworkUse use;
    std::int64_t remembered = 0;
};

/// The `collectives` in turn. Every device enters the next one when it is done with the last, and
/// is ready a launch and its own `skew` later.
LoopOutcome run_loop(const Machine& machine, const std::vector<Collective>& collectives, int times,
                     Picoseconds skew, bool remember)
{
    const FreshContext context;
    Network network("network", machine, remember);
    std::vector<Schedule> schedules;
    for (const Collective& collective : collectives) {
        schedules.push_back(schedule_of(collective, machine));
    }
    const Picoseconds launch = to_picoseconds(machine.device.collective_launch);
    LoopOutcome outcome;
    outcome.done.assign(static_cast<std::size_t>(times),
                        std::vector<Picoseconds>(static_cast<std::size_t>(machine.devices)));
    const std::function<void(int, int)> enter = [&](int device, int iteration) {
        if (iteration == times) {
            return;
        }
        const Schedule& schedule =
            schedules[static_cast<std::size_t>(iteration) % schedules.size()];
        network.enter(device, schedule, now(), now() + launch + skew * (device * 7 % 5), {},
                      [&, device, iteration](const CollectiveDone&) {
                          outcome.done[static_cast<std::size_t>(iteration)]
                                      [static_cast<std::size_t>(device)] = now();
                          enter(device, iteration + 1);
                      });
    };
    for (int device = 0; device < machine.devices; ++device) {
        enter(device, 0);
    }
    sc_core::sc_start();
    outcome.use = network.use();
    outcome.remembered = network.remembered();
    return outcome;
}

void expect_equal_loops(const Machine& machine, const std::vector<Collective>& collectives,
                        Picoseconds skew)
{
    SCOPED_TRACE(machine.preset.name() + " " + machine.slice.shape() + ", kind " +
                 std::to_string(static_cast<int>(collectives.front().kind)));
    const LoopOutcome with = run_loop(machine, collectives, 12, skew, true);
    const LoopOutcome without = run_loop(machine, collectives, 12, skew, false);
    EXPECT_EQ(with.done, without.done);
    EXPECT_EQ(with.use.link_bytes, without.use.link_bytes);
    EXPECT_EQ(with.use.link_busy, without.use.link_busy);
    EXPECT_EQ(with.use.on_chip_bytes, without.use.on_chip_bytes);
    EXPECT_EQ(with.use.messages, without.use.messages);
    EXPECT_EQ(with.use.message_hops, without.use.message_hops);
    EXPECT_EQ(without.remembered, 0);
}

TEST(Remembering, TakesOneSimulationAtMostForALoopOfEqualCollectives)
{
    const Machine mesh = machine_of("tpu_v5e", SliceRequest{4, "2x2", {{false, false}}});
    Machine buffered = mesh;
    buffered.network.vc_buffer = Bytes(1 << 20);
    const Collective all_reduce{CollectiveKind::all_reduce, Bytes(1 << 20)};
    EXPECT_EQ(run_loop(buffered, {all_reduce}, 12, Picoseconds(0), true).remembered, 11);
    // What hangs on all members is replayed where buffers keep links full.
    EXPECT_EQ(run_loop(mesh, {all_reduce}, 12, Picoseconds(0), true).remembered, 12);
    EXPECT_EQ(run_loop(mesh, {all_reduce}, 12, Picoseconds(70'001), true).remembered, 12);
    // One chip of a torus tells what all do.
    const Machine torus = machine_of("tpu_v5e", SliceRequest{16, "4x4", {{true, true}}});
    EXPECT_EQ(run_loop(torus, {all_reduce}, 12, Picoseconds(0), true).remembered, 12);
}

TEST(Remembering, GivesALoopOfCollectivesTheSamePicoseconds)
{
    Machine broken = machine_of("tpu_v5e", SliceRequest{16, "4x4", {{true, true}}});
    broken.faults.links = {{2, 1, 0}, {7, 0, 0.7}};
    for (const Machine& machine : {machine_of("tpu_v5e", SliceRequest{16, "4x4", {{true, true}}}),
                                   machine_of("tpu_v3", 32), machine_of("tpu_v4", 64), broken}) {
        for (int kind = 0; kind < 7; ++kind) {
            for (const std::int64_t bytes : {1 << 10, 1 << 20}) {
                const Collective collective{static_cast<CollectiveKind>(kind), Bytes(bytes)};
                expect_equal_loops(machine, {collective}, Picoseconds(0));
                expect_equal_loops(machine, {collective}, Picoseconds(70'001));
            }
        }
    }
}

/// A ring through all chips, whose devices are done at times further apart than a launch.
TEST(Remembering, HoldsWhatDevicesLeaveAtDifferentTimesUntilAnotherBegins)
{
    Machine mesh = machine_of("tpu_v3", 32);
    mesh.device.collective_launch = Seconds(1e-9);
    mesh.schedule = topologies::ScheduleChoice::xla;
    const Collective all_gather{CollectiveKind::all_gather, Bytes(16 << 20)};
    const Collective all_reduce{CollectiveKind::all_reduce, Bytes(1 << 20)};
    const Collective permute{CollectiveKind::permute, Bytes(1 << 20)};
    ASSERT_NE(schedule_of(all_gather, mesh)->ranks, nullptr);
    const LoopOutcome once = run_loop(mesh, {all_gather}, 1, Picoseconds(0), true);
    const auto [first, last] = std::minmax_element(once.done[0].begin(), once.done[0].end());
    ASSERT_GT(*last - *first, Picoseconds(1000));
    // Who enters the next one early waits there for the others: it does not begin.
    EXPECT_EQ(run_loop(mesh, {all_gather}, 12, Picoseconds(0), true).remembered, 11);
    expect_equal_loops(mesh, {all_gather}, Picoseconds(0));
    expect_equal_loops(mesh, {all_gather, all_reduce}, Picoseconds(70'001));
    // Who enters a permute early sends, and meets what is still under way.
    expect_equal_loops(mesh, {all_gather, permute}, Picoseconds(0));
    expect_equal_loops(mesh, {all_gather, permute, all_reduce}, Picoseconds(70'001));
}

TEST(SmallBuffers, PaceLongMessagesAsTheScheduleSays)
{
    for (const int packets : {1, 4, 16, 64}) {
        const Machine ring = machine_of("tpu_v5e", SliceRequest{8, "1x8", {{false, true}}},
                                        {{"ici_vc_buffer_bytes", packets * packet}});
        for (const CollectiveKind kind : {CollectiveKind::permute, CollectiveKind::all_gather}) {
            const Collective collective{kind, Bytes(64 << 20)};
            const Schedule schedule = schedule_of(collective, ring);
            EXPECT_NEAR(run_alone(ring, *schedule).time / model::schedule_time(*schedule), 1, 0.01)
                << packets << " packets";
        }
    }
}

} // namespace
} // namespace alxsim::sim
