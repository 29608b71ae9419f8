// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/device_groups.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

Groups groups_in(const std::string& text, std::int64_t all = 8)
{
    return DeviceGroups(text, all, "a.hlo", "line 1, column 1").expanded(1 << 20);
}

std::string groups_error(const std::string& text)
{
    try {
        groups_in(text);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(DeviceGroups, WithoutAnyAreAllInOne)
{
    EXPECT_EQ(groups_in("{}", 4), (Groups{{0, 1, 2, 3}}));
}

TEST(DeviceGroups, OfListsAreThose)
{
    EXPECT_EQ(groups_in("{{0,2}, {3,1}}"), (Groups{{0, 2}, {3, 1}}));
    EXPECT_EQ(groups_in("{{0},{1,2}}"), (Groups{{0}, {1, 2}}));
}

TEST(DeviceGroups, OfTransposedIdsA1)
{
    EXPECT_EQ(groups_in("[4,2]<=[2,4]T(1,0)"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
    EXPECT_EQ(groups_in("[2,4]<=[4,2]T(1,0)"), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
    EXPECT_EQ(groups_in("[4,2]<=[2,2,2]T(0,2,1)"), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
    EXPECT_EQ(groups_in("[2,4]<=[8]"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(DeviceGroups, OfAMeshVaryTheNamedAxesH1)
{
    const std::string mesh = "mesh['axis_0'=8,'axis_1'=1,'axis_2'=2], device_ids=([2,8]T(1,0)) ";
    EXPECT_EQ(groups_in(mesh + "{'axis_0'}", 16),
              (Groups{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}));
    EXPECT_EQ(groups_in(mesh + "{'axis_2'}", 16),
              (Groups{{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}));
    EXPECT_EQ(groups_in("mesh['axis_0'=4,'axis_1'=1,'axis_2'=4], device_ids=([4,4]T(1,0)) "
                        "{'axis_0'}",
                        16),
              (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}));
}

TEST(DeviceGroups, OfAMeshStandInTheOrderInWhichAxesAreNamed)
{
    EXPECT_EQ(groups_in("mesh['a'=2,'b'=2] {'a','b'}"), (Groups{{0, 1, 2, 3}}));
    EXPECT_EQ(groups_in("mesh['a'=2,'b'=2] {'b','a'}"), (Groups{{0, 2, 1, 3}}));
    EXPECT_EQ(groups_in("mesh['a'=2,'b'=2] {'b'}"), (Groups{{0, 1}, {2, 3}}));
}

TEST(DeviceGroups, AreNotExpandedUntilAskedFor)
{
    const DeviceGroups groups("[32768,32768]<=[32768,32768]T(1,0)", 0, "a.hlo", "line 1, column 1");
    EXPECT_EQ(groups.groups(), 32768);
    EXPECT_EQ(groups.size(5), 32768);
    EXPECT_EQ(groups.id(5, 3), 3 * 32768 + 5);
    EXPECT_THROW(groups.expanded(1 << 20), InputError);
}

TEST(DeviceGroups, RefusedSayWhatIsAllowed)
{
    for (const char* wrong :
         {"{", "{{}", "{{0,1}", "{{0,1}}x", "{{a}}", "{{4294967296}}", "[2,2]", "[2,2]<=[3]",
          "[2,2,2]<=[8]", "[2,4]<=[2,4]T(0)", "[2,4]<=[2,4]T(0,0)", "[0,4]<=[0]",
          "[99999999,99999999]<=[1]", "mesh['a'=2]", "mesh['a'=2] {'b'}", "mesh['a'=2] {'a','a'}",
          "mesh['a'=2], device_ids=([3]) {'a'}", "mesh[a=2] {'a'}", "x"}) {
        EXPECT_NE(groups_error(wrong).find("allowed: "), std::string::npos) << wrong;
    }
}

TEST(SourceTargetPairs, AreThose)
{
    using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
    EXPECT_EQ(source_target_pairs("{{0,1},{1, 2}, {2,0}}", "a.hlo", ""),
              (Pairs{{0, 1}, {1, 2}, {2, 0}}));
    EXPECT_EQ(source_target_pairs("{}", "a.hlo", ""), Pairs());
    EXPECT_THROW(source_target_pairs("{{0,1}", "a.hlo", ""), InputError);
    EXPECT_THROW(source_target_pairs("{{0}}", "a.hlo", ""), InputError);
}

/// Two replicas of two partitions; devices are replica x 2 + partition.
Groups devices_with(const std::string& attributes, const std::string& opcode = "all-gather")
{
    const Module module = read_hlo_text(
        "HloModule m, replica_count=2, num_partitions=2\nENTRY %e {\n  %p = f32[4] parameter(0)\n"
        "  ROOT %c = f32[8] " +
            opcode + "(%p)" + attributes + "\n}\n",
        "a.hlo");
    return devices_of(module, instruction_named(module, "c"), 1000);
}

TEST(MeaningOfGroups, WithoutAChannelIsReplicasOfEachPartition)
{
    EXPECT_EQ(devices_with(", replica_groups={{0,1}}"), (Groups{{0, 2}, {1, 3}}));
}

TEST(MeaningOfGroups, WithAChannelIsAllPartitionsOfTheReplicas)
{
    EXPECT_EQ(devices_with(", replica_groups={{0},{1}}, channel_id=1"), (Groups{{0, 1}, {2, 3}}));
}

TEST(MeaningOfGroups, WithGlobalIdsIsDevices)
{
    EXPECT_EQ(devices_with(", replica_groups={{0,3},{1,2}}, channel_id=1, "
                           "use_global_device_ids=true"),
              (Groups{{0, 3}, {1, 2}}));
}

TEST(MeaningOfGroups, OfIdsBeyondTheReplicasOrOfAnAllToAllIsPartitions)
{
    EXPECT_EQ(devices_with(", replica_groups={{0,1},{2,3}}, channel_id=1"),
              (Groups{{0, 1}, {2, 3}}));
    EXPECT_EQ(devices_with(", replica_groups={{0,1}}, channel_id=1", "all-to-all"),
              (Groups{{0, 1}}));
    EXPECT_EQ(devices_with(""), (Groups{{0, 1, 2, 3}}));
}

} // namespace
} // namespace alxsim::hlo
