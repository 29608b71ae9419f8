// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_choice.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"
#include "tests/unit/model/refusals.h"

#include <gtest/gtest.h>

#include <array>

/// Slices that the data center network joins.
namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::PairMessage;
using topologies::Machine;
using topologies::SliceRequest;

constexpr std::array slice_kinds{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                 CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                 CollectiveKind::broadcast,  CollectiveKind::reduce,
                                 CollectiveKind::permute};

Machine slices_of(const std::string& chip, int slices, int cores,
                  std::optional<std::string> shape = {})
{
    SliceRequest request{cores * slices, std::move(shape), {}};
    request.slices = slices;
    Machine machine = machine_of(chip, request);
    machine.network.dcn_efficiency = 1; // times that come out whole
    return machine;
}

Collective along(std::vector<std::string> axes, CollectiveKind kind, std::int64_t bytes)
{
    return {kind, Bytes(bytes), {}, std::move(axes)};
}

Picoseconds dcn_time(const Machine& machine, std::int64_t bytes, int ways = 1)
{
    const double rate = machine.network.dcn_bytes_per_second / ways;
    return to_picoseconds(Seconds(static_cast<double>(bytes) / rate));
}

Picoseconds dcn_latency(const Machine& machine)
{
    return to_picoseconds(machine.network.dcn_latency);
}

TEST(SeveralSlices, TwoChipsOfTwoSlicesExchangeAtTheRateOfTheDataCenterNetwork)
{
    const Machine two = slices_of("tpu_v5e", 2, 1);
    const std::int64_t bytes = 1 << 24;
    const auto time = [&](CollectiveKind kind) {
        return run_alone(two, Collective{kind, Bytes(bytes)}).time;
    };
    const Picoseconds half = dcn_time(two, bytes / 2) + dcn_latency(two);
    EXPECT_EQ(time(CollectiveKind::all_gather), half);
    EXPECT_EQ(time(CollectiveKind::reduce_scatter), half);
    EXPECT_EQ(time(CollectiveKind::all_to_all), half);
    const Picoseconds whole = dcn_time(two, bytes) + dcn_latency(two);
    EXPECT_EQ(time(CollectiveKind::all_reduce), whole); // each sends all and adds
    EXPECT_EQ(time(CollectiveKind::permute), whole);
}

TEST(SeveralSlices, SeeTheShareOfTheirNetworkThatMessagesReach)
{
    Machine two = slices_of("tpu_v6e", 2, 1);
    const auto time = [&](double share) {
        two.network.dcn_efficiency = share;
        return run_alone(two, Collective{CollectiveKind::all_reduce, Bytes(1 << 24)}).time -
               dcn_latency(two);
    };
    EXPECT_NEAR(time(0.25) / time(1), 4, 1e-6);
    // tpu-recipes: 303 MB a chip in 73.7 ms, which chose the preset's share.
    const double share =
        machine_of("tpu_v6e", 1).preset.at("dcn_bw_effective_frac").value.get<double>();
    EXPECT_NEAR(303e6 / (two.network.dcn_bytes_per_second * share) / 73.7e-3, 1, 0.01);
}

TEST(SeveralSlices, InARingSendHalfOfTheirRateEitherWay)
{
    // Each of four slices gathers from both sides: two hops, three shards at the rate of both
    // ways.
    const Machine four = slices_of("tpu_v5p", 4, 2, "1x1x1");
    const std::int64_t shard = 1 << 22;
    const Collective gather = along({"dcn"}, CollectiveKind::all_gather, 4 * shard);
    const Picoseconds expected =
        dcn_time(four, shard, 2) + dcn_time(four, shard / 2, 2) + dcn_latency(four) * 2;
    EXPECT_EQ(run_alone(four, gather).time, expected);
    EXPECT_NEAR((expected - dcn_latency(four) * 2) / dcn_time(four, 3 * shard), 1, 1e-6);
}

TEST(SeveralSlices, GoBetweenSlicesWithTheSmallestShards)
{
    // 2 x 16 chips: the network between slices carries a shard of a 32nd from every chip.
    const Machine two = slices_of("tpu_v5e", 2, 16, "4x4");
    const std::int64_t bytes = 32 << 20;
    const Machine one = slices_of("tpu_v5e", 1, 16, "4x4");
    const auto time = [&](const Machine& machine) {
        return run_alone(machine, Collective{CollectiveKind::all_gather, Bytes(bytes)}).time;
    };
    const Picoseconds between = dcn_time(two, bytes / 32) + dcn_latency(two);
    EXPECT_NEAR(time(two) / (time(one) + between), 1, 0.05);
    // The slow axis alone would take half of the array over each chip's link.
    EXPECT_LT(time(two) * 4, dcn_time(two, bytes / 2));
}

TEST(SeveralSlices, TakeTheEstimatedTimeAndBeatNoBound)
{
    for (const auto& [chip, slices, cores] : {std::tuple("tpu_v5e", 2, 4),
                                              {"tpu_v5e", 3, 8},
                                              {"tpu_v6e", 4, 16},
                                              {"tpu_v5p", 2, 16},
                                              {"tpu_7x", 2, 32},
                                              {"tpu_v4", 5, 8}}) {
        const Machine machine = slices_of(chip, slices, cores);
        for (const CollectiveKind kind : slice_kinds) {
            for (const std::int64_t bytes : {1 << 10, 1 << 18, 1 << 24}) {
                const Collective collective{kind, Bytes(bytes)};
                SCOPED_TRACE(std::string(chip) + ", " + machine.slice.words() + ", " +
                             model::to_json(op_of(collective)).dump());
                const model::CollectiveSchedule schedule =
                    model::make_schedule(collective, machine);
                const Outcome outcome = run_alone(machine, schedule);
                EXPECT_NEAR(model::schedule_time(schedule) / outcome.time, 1, 0.001);
                EXPECT_LE(model::collective_bound(collective, machine).count(),
                          to_seconds(outcome.time).count() + 1e-12);
                EXPECT_EQ(outcome.use.link_bytes, model::link_bytes(schedule, machine.devices));
            }
        }
    }
}

TEST(SeveralSlices, CarryMessagesOfTheirOwn)
{
    const Machine two = slices_of("tpu_v5e", 2, 4, "2x2");
    Collective collective{CollectiveKind::permute, Bytes(1 << 22)};
    // To the chip at the same place of the other slice; and from corner to corner.
    collective.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 4, Bytes(1 << 22)}, {5, 2, Bytes(1 << 22)}});
    const Outcome outcome = run_alone(two, collective);
    EXPECT_EQ(outcome.done[4], dcn_time(two, 1 << 22) + dcn_latency(two));
    EXPECT_EQ(outcome.use.message_hops, 1 + 3);
    EXPECT_NEAR(model::schedule_time(model::make_schedule(collective, two)) / outcome.time, 1,
                0.01);
    EXPECT_LE(model::collective_bound(collective, two).count(), to_seconds(outcome.time).count());
}

TEST(SeveralSlices, ReduceAlongTheirOwnAxesWhileOthersCrossTheNetwork)
{
    const Machine two = slices_of("tpu_v5e", 2, 16, "4x4");
    const model::Op within = op_of(along({"x", "y"}, CollectiveKind::all_reduce, 1 << 24));
    const model::Op between = op_of(along({"dcn"}, CollectiveKind::all_reduce, 1 << 20));
    const auto time = [&](const std::vector<model::Op>& ops) {
        EXPECT_EQ(estimated(two, graph_of(ops)), simulated(two, graph_of(ops)));
        return simulated(two, graph_of(ops));
    };
    EXPECT_EQ(time({within, between}), std::max(time({within}), time({between})));
}

TEST(SeveralSlices, ShareASlowLinkBetweenThem)
{
    Machine two = slices_of("tpu_v5e", 2, 4, "2x2");
    const Collective gather = along({"dcn"}, CollectiveKind::all_gather, 1 << 22);
    const Picoseconds whole = run_alone(two, gather).time;
    two.faults = topologies::read_faults(
        Json::parse(R"([{"link": ["1,0,0", "1,0,1"], "bandwidth": 0.5}])"), two, "study.json");
    EXPECT_EQ(run_alone(two, gather).time, whole + dcn_time(two, 1 << 21));
}

TEST(SeveralSlices, AreRefusedWithReason)
{
    const auto refused = [](const std::string& chip, int slices, int cores, bool twisted = false) {
        SliceRequest request{cores, {}, {}};
        request.slices = slices;
        request.twisted = twisted;
        try {
            machine_of(chip, request);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(
        refused("tpu_v5e", 3, 16),
        "found 3 slices for 16 cores; allowed: a divisor of the cores, which are those of all "
        "slices");
    EXPECT_EQ(refused("tpu_v3", 2, 16),
              "found 2 slices of tpu_v3, whose preset has no dcn_bw_chip and dcn_latency_s; "
              "allowed: 1, or a chip that has them: tpu_v4, tpu_v5e, tpu_v5p, tpu_v6e, tpu_7x");
    EXPECT_EQ(refused("tpu_v4", 2, 2048, true),
              "found 2 slices that are twisted; allowed: one twisted slice");
    EXPECT_EQ(model::refusal_of(along({"dcn"}, CollectiveKind::all_reduce, 8),
                                slices_of("tpu_v5e", 1, 16)),
              "collective/group: found dcn on a slice of 4x4 chips; allowed: x, y");
    EXPECT_EQ(
        model::refusal_of(along({"z"}, CollectiveKind::all_reduce, 8), slices_of("tpu_v5e", 2, 16)),
        "collective/group: found z on 2 slices of 4x4 chips; allowed: x, y, dcn");
}

} // namespace
} // namespace alxsim::sim
