// SPDX-License-Identifier: Apache-2.0
#include "topologies/routing.h"

#include "base/input_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>

namespace alxsim::topologies {
namespace {

Slice torus(const std::vector<int>& lengths, bool twisted = false)
{
    std::vector<Axis> axes;
    for (const int length : lengths) {
        axes.push_back({length, true});
    }
    return Slice(axes, 1, false, twisted);
}

std::vector<Slice> twisted_slices()
{
    return {torus({4, 4, 8}, true), torus({4, 8, 8}, true), torus({8, 4, 4}, true),
            torus({8, 4, 8}, true), torus({5, 10, 5}, true)};
}

using Links = std::vector<LinkFault>;

FaultPlan broken(const Links& links)
{
    FaultPlan faults;
    faults.links = links;
    return faults;
}

bool is_dead(const Slice& slice, const Links& links, int chip, const Hop& hop)
{
    const int low = hop.direction > 0 ? chip : *slice.neighbour(chip, hop.axis, -1);
    return std::any_of(links.begin(), links.end(), [&](const LinkFault& link) {
        return link.chip == low && link.axis == hop.axis && link.bandwidth == 0;
    });
}

/// Distances from one chip, over the links that are left.
std::vector<int> distances(const Slice& slice, int source)
{
    std::vector<int> far(static_cast<std::size_t>(slice.chips()), -1);
    far[static_cast<std::size_t>(source)] = 0;
    std::queue<int> open({source});
    for (; !open.empty(); open.pop()) {
        for (int axis = 0; axis < static_cast<int>(slice.axes().size()); ++axis) {
            for (const int direction : {-1, 1}) {
                const std::optional<int> next = slice.neighbour(open.front(), axis, direction);
                if (next && far[static_cast<std::size_t>(*next)] < 0) {
                    far[static_cast<std::size_t>(*next)] =
                        far[static_cast<std::size_t>(open.front())] + 1;
                    open.push(*next);
                }
            }
        }
    }
    return far;
}

std::vector<Hop> route(const Slice& slice, const DimensionOrder& routing, int source,
                       int destination)
{
    std::vector<Hop> hops;
    int chip = source;
    for (Hop hop = routing.next(chip, destination); hop.axis >= 0;
         hop = routing.next(chip, destination)) {
        hops.push_back(hop);
        chip = *slice.neighbour(chip, hop.axis, hop.direction);
        if (static_cast<int>(hops.size()) > slice.chips()) {
            ADD_FAILURE() << "no end of hops from " << source << " to " << destination;
            break;
        }
    }
    EXPECT_EQ(chip, destination);
    return hops;
}

/// What every route must have: axes in order, one direction per axis, each wrap passed at most
/// once, and `hops` counting down to it.
void expect_orderly(const Slice& slice, const DimensionOrder& routing, int source, int destination)
{
    const std::vector<Hop> hops = route(slice, routing, source, destination);
    ASSERT_EQ(static_cast<int>(hops.size()), routing.hops(source, destination));
    std::vector<int> wraps(slice.axes().size(), 0);
    std::vector<int> length(slice.axes().size(), 0);
    int chip = source;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        const auto axis = static_cast<std::size_t>(hops[i].axis);
        if (i > 0) {
            ASSERT_GE(hops[i].axis, hops[i - 1].axis);
            ASSERT_TRUE(hops[i].axis > hops[i - 1].axis ||
                        hops[i].direction == hops[i - 1].direction);
        }
        const int next = *slice.neighbour(chip, hops[i].axis, hops[i].direction);
        const int step = slice.coordinates(next)[axis] - slice.coordinates(chip)[axis];
        wraps[axis] += std::abs(step) != 1;
        ++length[axis];
        chip = next;
        ASSERT_EQ(routing.hops(chip, destination), static_cast<int>(hops.size() - i - 1));
    }
    for (std::size_t axis = 0; axis < wraps.size(); ++axis) {
        ASSERT_LE(wraps[axis], 1) << slice.shape() << " " << source << " " << destination;
        ASSERT_LE(length[axis], slice.axes()[axis].length);
    }
}

void expect_orderly(const Slice& slice, const FaultPlan& faults = {})
{
    const DimensionOrder routing(slice, faults);
    for (int source = 0; source < slice.chips(); ++source) {
        for (int destination = 0; destination < slice.chips(); ++destination) {
            expect_orderly(slice, routing, source, destination);
        }
    }
}

TEST(Routes, KeepTheOrderOfAxesAndPassAWrapOnce)
{
    expect_orderly(torus({4, 5, 3}));
    expect_orderly(Slice({{4, false}, {6, true}}, 1, false));
}

TEST(Routes, SplitTiesByTheParityOfTheSource)
{
    const DimensionOrder routing(torus({4, 4}));
    EXPECT_EQ(routing.next(0, 2).direction, 1);
    EXPECT_EQ(routing.next(1, 3).direction, -1);
    EXPECT_EQ(routing.next(0, 8).direction, 1);
    EXPECT_EQ(routing.next(4, 12).direction, -1);
    EXPECT_EQ(routing.next(5, 5).axis, -1);
}

TEST(TwistedRoutes, AreShortestBetweenAllPairs)
{
    for (const Slice& slice : twisted_slices()) {
        const DimensionOrder routing(slice);
        for (int source = 0; source < slice.chips(); ++source) {
            const std::vector<int> far = distances(slice, source);
            for (int destination = 0; destination < slice.chips(); ++destination) {
                ASSERT_EQ(routing.hops(source, destination),
                          far[static_cast<std::size_t>(destination)])
                    << slice.shape() << " from " << source << " to " << destination;
            }
        }
    }
}

TEST(TwistedRoutes, CountDownInTheOrderOfAxesAndPassAWrapOnce)
{
    for (const Slice& slice : twisted_slices()) {
        expect_orderly(slice);
    }
}

int sum_of_hops(const Slice& slice)
{
    const DimensionOrder routing(slice);
    int sum = 0;
    for (int destination = 0; destination < slice.chips(); ++destination) {
        sum += routing.hops(0, destination);
    }
    return sum;
}

TEST(TwistedRoutes, AreShorterThanThoseOfThePlainTorus)
{
    EXPECT_LT(sum_of_hops(torus({4, 4, 8}, true)), sum_of_hops(torus({4, 4, 8})));
    EXPECT_LT(sum_of_hops(torus({4, 8, 8}, true)), sum_of_hops(torus({4, 8, 8})));
}

TEST(TwistedRoutes, UseTheEarlierAxesLeastAndSplitTiesByParity)
{
    const Slice slice = torus({4, 4, 8}, true);
    const DimensionOrder routing(slice);
    // (2,0,4) further is (-2,0,0) as well: past the wrap of x one comes out at z = 4.
    EXPECT_EQ(routing.hops(0, slice.chip_at({2, 0, 4})), 2);
    EXPECT_EQ(routing.next(0, slice.chip_at({2, 0, 4})).direction, -1);
    // Four along z or four along x, either way: z, upwards from an even coordinate.
    for (const int z : {0, 1}) {
        const Hop hop = routing.next(slice.chip_at({0, 0, z}), slice.chip_at({0, 0, z + 4}));
        EXPECT_EQ(hop.axis, 2);
        EXPECT_EQ(hop.direction, z == 0 ? 1 : -1);
    }
}

/// 6x5 with a dead link on one ring of either axis, one of them the wrap.
const Links two_dead{{2 * 5 + 1, 0, 0}, {3 * 5 + 4, 1, 0}};

TEST(DeadLinks, AreNeverUsed)
{
    const Slice slice = torus({6, 5});
    const DimensionOrder routing(slice, broken(two_dead));
    for (int source = 0; source < slice.chips(); ++source) {
        for (int destination = 0; destination < slice.chips(); ++destination) {
            int chip = source;
            for (const Hop& hop : route(slice, routing, source, destination)) {
                ASSERT_FALSE(is_dead(slice, two_dead, chip, hop));
                chip = *slice.neighbour(chip, hop.axis, hop.direction);
            }
        }
    }
}

TEST(DeadLinks, LeaveRoutesOrderlyAndCounted)
{
    expect_orderly(torus({6, 5}), broken(two_dead));
    expect_orderly(torus({3, 4, 5}), broken({{0, 0, 0}, {7, 1, 0}, {30, 2, 0}}));
}

TEST(DeadLinks, SendWhoMeetsThemTheOtherWayRoundAndNobodyElse)
{
    const Slice ring = torus({8});
    const DimensionOrder routing(ring, broken({{2, 0, 0}})); // between 2 and 3
    EXPECT_EQ(routing.hops(2, 3), 7);
    EXPECT_EQ(routing.next(2, 3).direction, -1);
    EXPECT_EQ(routing.next(3, 2).direction, 1);
    EXPECT_EQ(routing.hops(0, 2), 2);
    EXPECT_EQ(routing.hops(6, 1), 3); // over the wrap, as always
    EXPECT_EQ(routing.hops(0, 4), 4); // up would meet it: down
    EXPECT_EQ(routing.next(0, 4).direction, -1);
}

TEST(DeadLinks, OfOneRingLeaveTheOthersAlone)
{
    const Slice slice = torus({4, 8});
    const DimensionOrder sound(slice);
    const DimensionOrder routing(slice, broken({{2, 1, 0}})); // ring x = 0
    EXPECT_EQ(routing.hops(2, 3), 7);
    EXPECT_EQ(routing.hops(8 + 2, 8 + 3), 1);
    EXPECT_EQ(routing.hops(2, 8 + 3), 2); // x first, then the sound ring
    EXPECT_EQ(routing.hops(8 + 2, 3), 8); // x first, onto the ring with the dead link
    EXPECT_EQ(routing.hops(20, 30), sound.hops(20, 30));
}

TEST(SlowLinks, DoNotChangeRoutes)
{
    const Slice slice = torus({4, 8});
    const DimensionOrder sound(slice);
    const DimensionOrder routing(slice, broken({{2, 1, 0.01}}));
    for (int destination = 0; destination < slice.chips(); ++destination) {
        EXPECT_EQ(routing.hops(2, destination), sound.hops(2, destination));
        EXPECT_EQ(routing.next(2, destination).direction, sound.next(2, destination).direction);
    }
}

TEST(DeadLinks, WithoutAWayRoundAreRefused)
{
    const auto refusal = [](const Slice& slice, const Links& links) {
        try {
            DimensionOrder routing(slice, broken(links));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    EXPECT_EQ(refusal(Slice({{8, true}, {8, false}}, 1, false), {{0, 1, 0}}),
              "a dead link on axis y of a 8x8 slice, which does not wrap there, cuts a line of "
              "chips in two, and messages go round through no other axis; allowed: a slow link in "
              "its place (a bandwidth > 0, such as 0.01); a slice whose axis y wraps "
              "(machine.slice, or machine.wrap: `alxsim chips NAME` lists which do); a smaller "
              "slice without this link");
    EXPECT_EQ(refusal(torus({8, 8}), {{1, 1, 0}, {9, 1, 0}, {5, 1, 0}}),
              "a second dead link on the ring along axis y through chip 0,0 cuts it in two; "
              "allowed: one a ring");
    EXPECT_EQ(refusal(torus({4, 4, 8}, true), {{0, 2, 0}}),
              "a dead link on axis z of a twisted slice of 4x4x8, whose routes know no way round; "
              "allowed: a bandwidth > 0, or no twist");
    EXPECT_EQ(refusal(torus({4, 4, 8}, true), {{0, 2, 0.5}}), "nothing was refused");
}

} // namespace
} // namespace alxsim::topologies
