// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/parts/group_notes.h"

#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

/// Groups that do not lie on the torus are told, with what that costs.
namespace alxsim::experiments {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;

using Groups = std::vector<std::vector<int>>;

Collective among(Groups groups)
{
    Collective collective{CollectiveKind::all_reduce, Bytes(1 << 24)};
    collective.ranks = std::make_shared<const Groups>(std::move(groups));
    return collective;
}

std::vector<std::string> notes_of(const Collective& collective, const Machine& machine)
{
    model::Op op = model::op_of(collective);
    op.name = "sum";
    const model::Program program{{{model::graph_of({op}), {}, 1}, 1}};
    return group_notes(program, machine);
}

TEST(GroupNotes, TellOfListsThatHaveNoShape)
{
    const Machine ring = model::easy_machine(8, "1x8", {false, true});
    Collective listed = among({{0, 4, 1, 5}, {2, 6, 3, 7}});
    listed.listed = true;
    const std::vector<std::string> notes = notes_of(listed, ring);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(
        notes.front().find("groups of sum are scattered over the slice: their collectives take "),
        0U)
        << notes.front();
    EXPECT_NE(notes.front().find(
                  " times as long as among as many neighbours (they are no axis, rectangle "
                  "or ring of a slice of 1x8 chips)"),
              std::string::npos)
        << notes.front();
}

TEST(GroupNotes, TellOfRowsWithOthersBetween)
{
    const Machine line = model::easy_machine(8, "1x8", {false, false});
    Collective spaced{CollectiveKind::all_reduce, Bytes(1 << 24)};
    const auto mesh = std::make_shared<const model::Mesh>(model::Mesh{{"data", 4}, {"tensor", 2}});
    spaced.mesh = mesh;
    spaced.group = {"data"};
    const std::vector<std::string> notes = notes_of(spaced, line);
    ASSERT_EQ(notes.size(), 1U);
    // Two groups share each link.
    EXPECT_EQ(notes.front(),
              "data groups stand on 4 of y at a distance of 2: their collectives take 2.0 times as "
              "long as "
              "among as many neighbours (they are no axis, rectangle or ring of a slice of "
              "1x8 chips)");
    spaced.group = {"tensor"};
    EXPECT_TRUE(notes_of(spaced, line).empty());
}

TEST(GroupNotes, AreSilentOnAxesRectanglesAndRings)
{
    const Machine square = model::easy_machine(16, "4x4", {true, true});
    EXPECT_TRUE(notes_of(among({{0, 1, 2, 3}, {7, 6, 5, 4}}), square).empty());
    EXPECT_TRUE(notes_of(among({{0, 1, 4, 5}, {2, 3, 6, 7}}), square).empty());
    EXPECT_TRUE(notes_of(among({{0, 1, 2, 6, 10, 9, 8, 4}}), square).empty());
    EXPECT_TRUE(notes_of(Collective{CollectiveKind::all_reduce, Bytes(1 << 20)}, square).empty());
}

} // namespace
} // namespace alxsim::experiments
