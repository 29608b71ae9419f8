// SPDX-License-Identifier: Apache-2.0
#include "topologies/routing.h"

#include "base/input_error.h"

#include <algorithm>

namespace alxsim::topologies {
namespace {

using Way = std::array<int, 3>;

/// Shorter comes first; of equally long ones, the one with fewer hops along the earlier axes.
std::array<int, 4> rank_of(const Way& way)
{
    const Way lengths{std::abs(way[0]), std::abs(way[1]), std::abs(way[2])};
    return {lengths[0] + lengths[1] + lengths[2], lengths[0], lengths[1], lengths[2]};
}

/// Past the wrap of an axis so often: where that leads to in the lattice, straight on.
Way unrolled(Way way, const std::vector<Axis>& axes, int k, const Way& wraps)
{
    for (std::size_t axis = 0; axis < way.size(); ++axis) {
        way[axis] += axes[axis].length * wraps[axis];
        for (std::size_t past = 0; past < way.size(); ++past) {
            const bool shifts = axes[axis].length == 2 * k && axes[past].length == k;
            way[axis] += shifts ? k * wraps[past] : 0;
        }
    }
    return way;
}

/// The best ways to a chip `difference` further: all of one rank, differing in signs.
std::vector<Way> best_ways(const Way& difference, const std::vector<Axis>& axes, int k)
{
    std::vector<Way> best;
    // Wraps in [-2, 2] reach every copy within k hops along each axis; farther ones are never best.
    for (int code = 0; code < 5 * 5 * 5; ++code) {
        const Way wraps{code / 25 - 2, code / 5 % 5 - 2, code % 5 - 2};
        const Way way = unrolled(difference, axes, k, wraps);
        if (!best.empty() && rank_of(way) < rank_of(best.front())) {
            best.clear();
        }
        if (best.empty() || rank_of(way) == rank_of(best.front())) {
            best.push_back(way);
        }
    }
    return best;
}

/// Up from even coordinates, down from odd ones, as far as the first axes have it so.
Way by_parity(const std::vector<Way>& ways, int parities)
{
    const auto against = [parities](const Way& way) {
        std::array<bool, 3> wrong{};
        for (std::size_t axis = 0; axis < way.size(); ++axis) {
            const bool even = (parities >> axis & 1) == 0;
            wrong[axis] = way[axis] != 0 && (way[axis] > 0) != even;
        }
        return wrong;
    };
    return *std::min_element(ways.begin(), ways.end(), [&against](const Way& a, const Way& b) {
        return against(a) < against(b);
    });
}

} // namespace

DimensionOrder::DimensionOrder(const Slice& slice, const FaultPlan& faults) : axes_(slice.axes())
{
    const std::string problem = problem_of_dead_links(slice, faults.links);
    if (!problem.empty()) {
        throw InputError(problem);
    }
    for (int axis = 0; axis < static_cast<int>(axes_.size()); ++axis) {
        const Axis& along = axes_[static_cast<std::size_t>(axis)];
        strides_.push_back(slice.stride(axis));
        spans_.push_back(along.wraps ? along.length : 0);
    }
    for (int chip = 0; chip < slice.chips(); ++chip) {
        const std::vector<int> coordinates = slice.coordinates(chip);
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            places_.push_back({coordinates[axis], reach_of(axes_[axis], coordinates[axis])});
        }
    }
    mark_dead_links(slice, faults);
    if (slice.twisted()) {
        list_twisted_ways(slice);
    }
}

int DimensionOrder::reach_of(const Axis& axis, int coordinate)
{
    if (!axis.wraps) {
        return axis.length;
    }
    const bool tie = axis.length % 2 == 0;
    return tie && coordinate % 2 != 0 ? axis.length / 2 - 1 : axis.length / 2;
}

/// A ring becomes a line that ends before the dead link.
void DimensionOrder::mark_dead_links(const Slice& slice, const FaultPlan& faults)
{
    for (const LinkFault& link : faults.links) {
        const auto axis = static_cast<std::size_t>(link.axis);
        if (link.bandwidth > 0 || !axes_[axis].wraps) {
            continue;
        }
        const int length = axes_[axis].length;
        std::vector<int> place = slice.coordinates(link.chip);
        const int end = place[axis];
        for (place[axis] = 0; place[axis] < length; ++place[axis]) {
            const auto chip = static_cast<std::size_t>(slice.chip_at(place));
            places_[chip * axes_.size() + axis].reach = (end - place[axis] + length) % length;
        }
    }
}

void DimensionOrder::list_twisted_ways(const Slice& slice)
{
    twist_ = std::min({axes_[0].length, axes_[1].length, axes_[2].length});
    twisted_ways_.resize(static_cast<std::size_t>(slice.chips()));
    for (int chip = 0; chip < slice.chips(); ++chip) {
        const std::vector<Way> ways =
            best_ways({at(chip, 0), at(chip, 1), at(chip, 2)}, axes_, twist_);
        std::array<Way, 8>& chosen = twisted_ways_[static_cast<std::size_t>(chip)];
        for (std::size_t parities = 0; parities < chosen.size(); ++parities) {
            chosen[parities] = by_parity(ways, static_cast<int>(parities));
        }
    }
}

const DimensionOrder::Way& DimensionOrder::twisted_way(int source, int destination) const
{
    Way difference{};
    unsigned parities = 0;
    int shift = 0; // along the long axes, for every short one whose difference passes its wrap
    for (std::size_t axis = 0; axis < difference.size(); ++axis) {
        const int from = at(source, axis);
        difference[axis] = at(destination, axis) - from;
        parities |= static_cast<unsigned>(from % 2) << axis;
        if (difference[axis] < 0 && axes_[axis].length == twist_) {
            difference[axis] += twist_;
            shift = twist_ - shift;
        }
    }
    int chip = 0;
    for (std::size_t axis = 0; axis < difference.size(); ++axis) {
        const int length = axes_[axis].length;
        const int shifted = difference[axis] + (length == twist_ ? 0 : shift);
        chip += strides_[axis] * ((shifted + length) % length);
    }
    return twisted_ways_[static_cast<std::size_t>(chip)][parities];
}

int DimensionOrder::hops(int source, int destination) const
{
    if (!twisted_ways_.empty()) {
        return rank_of(twisted_way(source, destination)).front();
    }
    int sum = 0;
    int chip = source;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const int to = at(destination, axis);
        sum += std::abs(way_along(axis, chip, to));
        chip += (to - at(chip, axis)) * strides_[axis];
    }
    return sum;
}

} // namespace alxsim::topologies
