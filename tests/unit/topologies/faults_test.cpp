// SPDX-License-Identifier: Apache-2.0
#include "topologies/faults.h"

#include "base/input_error.h"
#include "topologies/machine.h"

#include <gtest/gtest.h>

namespace alxsim::topologies {
namespace {

Machine machine_of(const std::string& chip, const SliceRequest& request)
{
    return make_machine(Preset::load(chip), request);
}

/// 64 v3 cores, two a chip, on 4x8 chips without wrap.
Machine v3()
{
    return machine_of("tpu_v3", {64, {}, {}});
}

/// 4x4x8 v4 chips, each one device of two cores; a torus.
Machine v4(bool twisted = false)
{
    return machine_of("tpu_v4", {256, "4x4x8", {}, twisted});
}

FaultPlan plan_of(const Machine& machine, const char* faults)
{
    return read_faults(Json::parse(faults), machine, "study.json");
}

std::string refusal_of(const Machine& machine, const char* faults)
{
    try {
        plan_of(machine, faults);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(NoFaults, ChangeNothing)
{
    const FaultPlan plan = plan_of(v3(), "[]");
    EXPECT_EQ(plan.count, 0);
    EXPECT_TRUE(plan.links.empty());
    EXPECT_TRUE(plan.device_hbm.empty());
    EXPECT_EQ(plan.speed_of(63), 1);
}

TEST(SlowCores, AreDevicesWhereEachCoreIsOne)
{
    const FaultPlan plan = plan_of(v3(), R"([{"core": 3, "speed": 0.5}])");
    ASSERT_EQ(plan.device_speed.size(), 64u);
    EXPECT_EQ(plan.speed_of(3), 0.5);
    EXPECT_EQ(plan.speed_of(2), 1);
    EXPECT_EQ(plan.count, 1);
}

TEST(SlowCores, SlowTheDeviceThatTwoOfThemForm)
{
    const FaultPlan plan = plan_of(v4(), R"([{"core": 6, "speed": 0.25}, {"core": 7, "speed": 0.5},
                                             {"core": 9, "speed": 0.75}])");
    ASSERT_EQ(plan.device_speed.size(), 128u);
    EXPECT_EQ(plan.speed_of(3), 0.25); // cores 6 and 7: the slower
    EXPECT_EQ(plan.speed_of(4), 0.75);
    EXPECT_EQ(plan.count, 3);
}

TEST(Links, AreNamedByTheirEndsInEitherOrder)
{
    for (const char* faults : {R"([{"link": ["0,0", "1,0"], "bandwidth": 0.1}])",
                               R"([{"link": ["1,0", "0,0"], "bandwidth": 0.1}])"}) {
        const FaultPlan plan = plan_of(v3(), faults);
        ASSERT_EQ(plan.links.size(), 1u);
        EXPECT_EQ(plan.links[0].chip, 0);
        EXPECT_EQ(plan.links[0].axis, 0);
        EXPECT_EQ(plan.links[0].bandwidth, 0.1);
    }
}

TEST(Links, PastAWrapBelongToTheLastChip)
{
    const FaultPlan plan = plan_of(v4(), R"([{"link": ["2,1,0", "2,1,7"], "bandwidth": 0}])");
    ASSERT_EQ(plan.links.size(), 1u);
    EXPECT_EQ(v4().slice.coordinates(plan.links[0].chip), (std::vector<int>{2, 1, 7}));
    EXPECT_EQ(plan.links[0].axis, 2);
}

TEST(Links, OfATwistedSliceAreThoseOfTheTwist)
{
    const FaultPlan plan = plan_of(v4(true), R"([{"link": ["0,1,5", "3,1,1"], "bandwidth": 0.5}])");
    ASSERT_EQ(plan.links.size(), 1u);
    EXPECT_EQ(v4().slice.coordinates(plan.links[0].chip), (std::vector<int>{3, 1, 1}));
    EXPECT_EQ(plan.links[0].axis, 0);
    EXPECT_NE(refusal_of(v4(true), R"([{"link": ["0,1,1", "3,1,1"], "bandwidth": 0.5}])")
                  .find("which no link of a slice of 4x4x8 joins"),
              std::string::npos);
}

TEST(SmallerHbm, IsSharedByTheDevicesOfTheChip)
{
    const FaultPlan plan = plan_of(v3(), R"([{"chip": 2, "hbm_bytes": 8e9}])");
    ASSERT_EQ(plan.device_hbm.size(), 64u);
    // A program may use the same share of what is left as of a whole chip: 15.48 of 16 GiB.
    EXPECT_NEAR(plan.device_hbm[4].count(), 3'870'000'000, 1);
    EXPECT_EQ(plan.device_hbm[5], plan.device_hbm[4]);
    EXPECT_EQ(plan.device_hbm[3], v3().device.usable_hbm);
    EXPECT_EQ(plan.device_hbm[6], v3().device.usable_hbm);
    EXPECT_EQ(plan_of(v4(), R"([{"chip": 2, "hbm_bytes": 8e9}])").device_hbm[2],
              Bytes(7'687'500'000));
}

TEST(SmallerHbm, OfAChipUsedInPartLeavesTheUsedPart)
{
    const Machine one_core = machine_of("tpu_v3", {1, {}, {}});
    const FaultPlan plan = plan_of(one_core, R"([{"chip": 0, "hbm_bytes": 8e9}])");
    ASSERT_EQ(plan.device_hbm.size(), 1u);
    EXPECT_NEAR(plan.device_hbm[0].count(), 3'870'000'000, 1);
}

TEST(Faults, OutsideTheMachineAreRefusedWithTheirPlace)
{
    EXPECT_EQ(refusal_of(v3(), R"([{"core": 64, "speed": 0.5}])"),
              "study.json: /machine/faults/0/core: found 64; allowed: whole numbers from 0 to 63");
    EXPECT_EQ(refusal_of(v3(), R"([{"core": 1, "speed": 0.5}, {"chip": 32, "hbm_bytes": 1e9}])"),
              "study.json: /machine/faults/1/chip: found 32; allowed: whole numbers from 0 to 31");
    EXPECT_EQ(refusal_of(v3(), R"([{"core": 1.5, "speed": 0.5}])"),
              "study.json: /machine/faults/0/core: found 1.5; allowed: whole numbers from 0 to 63");
    EXPECT_EQ(refusal_of(v3(), R"([{"link": ["0,0", "0,8"], "bandwidth": 0.5}])"),
              "study.json: /machine/faults/0/link/1: found \"0,8\"; allowed: a chip's coordinates, "
              "\"0,0\" to \"3,7\"");
    for (const char* name : {"0", "0,0,0", "", "0,", "0;0", "-1,0", "a,b", "0,99999999999"}) {
        const std::string faults =
            std::string(R"([{"link": [")") + name + R"(", "0,1"], "bandwidth": 0.5}])";
        EXPECT_NE(refusal_of(v3(), faults.c_str()).find("/machine/faults/0/link/0: found"),
                  std::string::npos)
            << name;
    }
}

TEST(Faults, BetweenChipsThatAreNoNeighboursAreToldTheNeighbours)
{
    EXPECT_EQ(refusal_of(v3(), R"([{"link": ["0,0", "0,7"], "bandwidth": 0.5}])"),
              "study.json: /machine/faults/0/link: found chips 0,0 and 0,7, which no link of a "
              "slice of 4x8 joins; allowed: with 0,0: 1,0 0,1");
    EXPECT_NE(refusal_of(machine_of("tpu_v3", {2, {}, {}}),
                         R"([{"link": ["0,0", "0,0"], "bandwidth": 0.5}])")
                  .find("allowed: with 0,0: none, for it has no neighbours"),
              std::string::npos);
}

TEST(Faults, WithFactorsOutsideTheirRangeAreRefused)
{
    EXPECT_NE(refusal_of(v3(), R"([{"core": 1, "speed": 0}])")
                  .find("/machine/faults/0/speed: found 0; allowed: a factor of the clock"),
              std::string::npos);
    EXPECT_NE(refusal_of(v3(), R"([{"core": 1, "speed": 1.5}])").find("/speed: found 1.5"),
              std::string::npos);
    EXPECT_NE(refusal_of(v3(), R"([{"link": ["0,0", "1,0"], "bandwidth": 2}])")
                  .find("/machine/faults/0/bandwidth: found 2; allowed: a factor of the link's "
                        "bandwidth from 0 (dead) to 1"),
              std::string::npos);
    EXPECT_EQ(refusal_of(v3(), R"([{"chip": 0, "hbm_bytes": 1e12}])"),
              "study.json: /machine/faults/0/hbm_bytes: found 1000000000000.0; allowed: bytes from "
              "1 to the chip's 34359738368");
    EXPECT_NE(refusal_of(v3(), R"([{"chip": 0, "hbm_bytes": 0}])").find("/hbm_bytes: found 0"),
              std::string::npos);
}

TEST(Faults, OfUnclearKindAreRefused)
{
    for (const char* faults :
         {R"([{"core": 1}])", R"([{"core": 1, "bandwidth": 0.5}])",
          R"([{"core": 1, "speed": 0.5, "chip": 1, "hbm_bytes": 1}])", "[{}]", "[3]"}) {
        EXPECT_NE(refusal_of(v3(), faults)
                      .find("; allowed: core and speed, link and bandwidth, or chip and hbm_bytes"),
                  std::string::npos)
            << faults;
    }
    EXPECT_NE(refusal_of(v3(), "{}").find("/machine/faults: found {}; allowed: an array"),
              std::string::npos);
}

TEST(Faults, NamedTwiceAreRefused)
{
    EXPECT_EQ(refusal_of(v3(), R"([{"core": 1, "speed": 0.5}, {"core": 1, "speed": 0.25}])"),
              "study.json: /machine/faults/1/core: found a second fault of core 1; allowed: one");
    EXPECT_EQ(refusal_of(v3(), R"([{"link": ["0,0", "1,0"], "bandwidth": 0.5},
                                   {"link": ["1,0", "0,0"], "bandwidth": 0.5}])"),
              "study.json: /machine/faults/1/link: found a second fault of the link along axis x "
              "from chip 0,0; allowed: one");
    EXPECT_NE(refusal_of(v3(), R"([{"chip": 1, "hbm_bytes": 1e9}, {"chip": 1, "hbm_bytes": 1e9}])")
                  .find("a second fault of the HBM of chip 1"),
              std::string::npos);
}

TEST(DeadLinks, ThatCutTheMachineAreRefusedAtTheirPlace)
{
    const std::string refusal = refusal_of(v3(), R"([{"core": 1, "speed": 0.5},
                                   {"link": ["0,0", "0,1"], "bandwidth": 0}])");
    EXPECT_EQ(refusal.find("study.json: /machine/faults/1/link: a dead link on axis y of a 4x8 "
                           "slice, which does not wrap there, cuts a line of chips in two"),
              0U)
        << refusal;
    EXPECT_NE(refusal.find("allowed: a slow link in its place"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("a slice whose axis y wraps"), std::string::npos) << refusal;
    EXPECT_NE(refusal_of(v4(), R"([{"link": ["0,0,0", "0,0,1"], "bandwidth": 0},
                                   {"link": ["0,0,4", "0,0,5"], "bandwidth": 0}])")
                  .find("/machine/faults/1/link: a second dead link on the ring along axis z"),
              std::string::npos);
    EXPECT_NE(refusal_of(v4(true), R"([{"link": ["0,0,0", "0,0,1"], "bandwidth": 0}])")
                  .find("/machine/faults/0/link: a dead link on axis z of a twisted slice"),
              std::string::npos);
}

} // namespace
} // namespace alxsim::topologies
