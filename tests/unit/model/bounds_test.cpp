// SPDX-License-Identifier: Apache-2.0
#include "model/bounds.h"

#include "model/collectives/collective.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

namespace alxsim::model {
namespace {

using topologies::Machine;

double bound_of(const Op& op, const Machine& machine)
{
    return physical_bound(op, {}, machine).count();
}

/// What software adds to any collective, however it is routed.
double software(const Machine& machine)
{
    return machine.network.message_latency.count();
}

double collective_bound_of(CollectiveKind kind, std::int64_t bytes, const Machine& machine)
{
    return collective_bound({kind, Bytes(bytes)}, machine).count();
}

TEST(PhysicalBound, OfAMatmulIsItsOperationsAtThePeakOfItsPasses)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const double one = bound_of(op_of(Matmul{1, 1024, 1024, 1024, DType::bf16, 1, true}), machine);
    EXPECT_DOUBLE_EQ(one, 2.0 * 1024 * 1024 * 1024 / machine.device.matmul_flops());
    EXPECT_DOUBLE_EQ(bound_of(op_of(Matmul{1, 1024, 1024, 1024, DType::f32, 6, true}), machine),
                     6 * one);
}

TEST(PhysicalBound, OfAVectorOpIsItsOperationsOnAllAlus)
{
    const Machine machine = machine_of("tpu_v3", 8);
    EXPECT_DOUBLE_EQ(bound_of(op_of(Vector{1 << 20, 3, DType::f32}), machine),
                     3.0 * (1 << 20) / (2048 * 0.94e9));
}

TEST(PhysicalBound, OfHbmTrafficIsTheWholeChipsBandwidth)
{
    const Machine machine = machine_of("tpu_v3", 8);
    EXPECT_DOUBLE_EQ(bound_of(op_of(stream_of(Bytes(400'000), Bytes(500'000))), machine), 1e-6);
    // Rows of 256 bytes move granules of 512.
    EXPECT_DOUBLE_EQ(
        bound_of(op_of(RowGather{1000, Bytes(256), 0, AccessPattern::uniform, 0}), machine),
        1'024'000 / 900e9);
}

TEST(PhysicalBound, OfInfeedIsTheChipsPcie)
{
    EXPECT_DOUBLE_EQ(bound_of(op_of(infeed_of(Bytes(16'000'000))), machine_of("tpu_v3", 8)), 1e-3);
}

TEST(PhysicalBound, OfARepeatIsItsLongestOpEveryTime)
{
    const Machine machine = machine_of("tpu_v3", 8);
    const Op vector = op_of(Vector{1 << 20, 3, DType::f32});
    const Op repeat = repeat_of(7, {op_of(Vector{8, 1, DType::f32}), vector});
    EXPECT_DOUBLE_EQ(bound_of(repeat, machine), 7 * bound_of(vector, machine));
}

TEST(CollectiveBound, OfAnAllGatherOnATorusIsAllLinksIntoAChip)
{
    const Machine torus = machine_of("tpu_v5e", 256);
    const std::int64_t bytes = 1 << 30;
    // About V / (2 w n): n = 2 wrapped axes, two directions each.
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::all_gather, bytes, torus),
                     bytes * (255.0 / 256) / (2 * 2 * 45e9) + software(torus));
    const Machine cube = machine_of("tpu_v4", 128);
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::reduce_scatter, bytes, cube),
                     bytes * (63.0 / 64) / (2 * 3 * 45e9) + software(cube));
}

TEST(CollectiveBound, OfALineIsTheOneLinkOfItsEnd)
{
    const Machine line = easy_machine(4, "1x4", {false, false});
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::all_gather, 4'000'000, line), 3e-3);
}

TEST(CollectiveBound, OfSmallMessagesIsTheDiameterInHops)
{
    const Machine torus = machine_of("tpu_v5e", 256);
    // Only the wire is paid at every hop.
    ASSERT_GT(software(torus), 0);
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::all_reduce, 4, torus),
                     16 * torus.network.hop_latency.count() + software(torus));
    const Machine mesh = easy_machine(32, "4x8", {false, false});
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::all_reduce, 4, mesh), 10e-6);
}

TEST(CollectiveBound, OfOneChipIsItsOwnPathAndOfOneDeviceNothing)
{
    EXPECT_DOUBLE_EQ(collective_bound_of(CollectiveKind::all_reduce, 2'000'000,
                                         easy_pairs(1, "1x1", {false, false})),
                     2e-3);
    EXPECT_EQ(collective_bound_of(CollectiveKind::all_reduce, 1 << 20, machine_of("tpu_v3", 1)), 0);
}

TEST(CollectiveBound, IsReachedByLargeRings)
{
    // The schedule of a single ring is bandwidth-optimal: without hops it is the bound.
    const Machine ring = easy_machine(8, "1x8", {false, true});
    const Collective all_reduce{CollectiveKind::all_reduce, Bytes(80'000'000)};
    const double hops = 8e-6;
    EXPECT_NEAR(to_seconds(schedule_time(make_schedule(all_reduce, ring))).count() - hops,
                collective_bound(all_reduce, ring).count(), 1e-9);
}

TEST(CollectiveBound, IsNeverUndercutByASchedule)
{
    std::vector<Machine> machines;
    for (const std::string& chip : topologies::Preset::names()) {
        for (int cores = 1; cores <= 256; cores *= 2) {
            machines.push_back(machine_of(chip, cores));
        }
    }
    for (const Machine& machine : machines) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::permute,
              CollectiveKind::broadcast, CollectiveKind::reduce}) {
            for (const std::int64_t bytes :
                 {std::int64_t{1} << 10, std::int64_t{1} << 20, std::int64_t{1} << 26}) {
                Collective collective{kind, Bytes(bytes)};
                collective.root = has_root(kind) ? machine.devices * 2 / 5 : 0;
                EXPECT_GE(to_seconds(schedule_time(make_schedule(collective, machine))).count(),
                          collective_bound(collective, machine).count() - 1e-12)
                    << machine.preset.name() << " " << machine.slice.shape() << " " << bytes;
            }
        }
    }
}

TEST(CollectiveBound, IsNeverUndercutInAGroup)
{
    std::vector<Machine> machines{
        machine_of("tpu_v4", 128), machine_of("tpu_v5p", 64), machine_of("tpu_v5e", 128),
        machine_of("tpu_v3", 128),
        machine_of("tpu_v4", topologies::SliceRequest{512, "4x8x8", {}, true})};
    for (const Machine& machine : machines) {
        for (const std::vector<std::string>& group :
             std::vector<std::vector<std::string>>{{}, {"x"}, {"y"}, {std::string("x"), "y"}}) {
            if (machine.slice.twisted() && !group.empty()) {
                continue;
            }
            for (const CollectiveKind kind :
                 {CollectiveKind::all_gather, CollectiveKind::all_reduce,
                  CollectiveKind::all_to_all, CollectiveKind::permute, CollectiveKind::broadcast}) {
                for (const std::int64_t bytes : {1, 1 << 16, 1 << 24}) {
                    const Collective collective{kind, Bytes(bytes), {}, group};
                    EXPECT_GE(to_seconds(schedule_time(make_schedule(collective, machine))).count(),
                              collective_bound(collective, machine).count() - 1e-12)
                        << machine.preset.name() << " " << machine.slice.shape() << " " << bytes;
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::model
