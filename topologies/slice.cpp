// SPDX-License-Identifier: Apache-2.0
#include "topologies/slice.h"

#include "topologies/listed_slice.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::topologies {
namespace {

int shortest_of(const std::vector<Axis>& axes)
{
    int shortest = axes.front().length;
    for (const Axis& axis : axes) {
        shortest = std::min(shortest, axis.length);
    }
    return shortest;
}

} // namespace

bool can_be_twisted(const std::vector<Axis>& axes)
{
    if (axes.size() != 3) {
        return false;
    }
    const int k = shortest_of(axes);
    const auto of_length = [&axes](int length) {
        return std::count_if(axes.begin(), axes.end(), [length](const Axis& axis) {
            return axis.wraps && axis.length == length;
        });
    };
    return k >= 4 && of_length(2 * k) > 0 && of_length(k) + of_length(2 * k) == 3;
}

Slice::Slice(std::vector<Axis> axes, int cores_per_chip, bool assumed, bool twisted)
    : axes_(std::move(axes)),
      cores_per_chip_(cores_per_chip),
      assumed_(assumed),
      twisted_(twisted)
{
    if (axes_.empty() || cores_per_chip_ < 1) {
        throw std::invalid_argument("a slice needs an axis and a core per chip");
    }
    for (Axis& axis : axes_) {
        if (axis.length < 1) {
            throw std::invalid_argument("an axis of a slice needs a chip");
        }
        axis.wraps = axis.wraps && axis.length > 2;
    }
    if (twisted_ && !can_be_twisted(axes_)) {
        throw std::invalid_argument("a slice of " + shape() + " cannot be twisted");
    }
}

int Slice::chips() const
{
    return chips_of(axes_);
}

std::string Slice::shape() const
{
    return shape_of(axes_);
}

std::vector<int> Slice::coordinates(int chip) const
{
    if (chip < 0 || chip >= chips()) {
        throw std::out_of_range("no chip " + std::to_string(chip) + " in a slice of " + shape());
    }
    std::vector<int> place(axes_.size());
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
        place[axis] = chip % axes_[axis].length;
        chip /= axes_[axis].length;
    }
    return place;
}

int Slice::chip_at(const std::vector<int>& coordinates) const
{
    if (coordinates.size() != axes_.size()) {
        throw std::out_of_range("a slice of " + shape() + " has other axes");
    }
    int chip = 0;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        if (coordinates[axis] < 0 || coordinates[axis] >= axes_[axis].length) {
            throw std::out_of_range("coordinates outside a slice of " + shape());
        }
        chip = chip * axes_[axis].length + coordinates[axis];
    }
    return chip;
}

void Slice::shift_half_way(std::vector<int>& place) const
{
    const int k = shortest_of(axes_);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        if (axes_[axis].length == 2 * k) {
            place[axis] = (place[axis] + k) % (2 * k);
        }
    }
}

std::optional<int> Slice::neighbour(int chip, int axis, int direction) const
{
    const Axis& along = axes_.at(static_cast<std::size_t>(axis));
    std::vector<int> place = coordinates(chip);
    int& position = place[static_cast<std::size_t>(axis)];
    position += direction;
    if (position < 0 || position >= along.length) {
        if (!along.wraps) {
            return std::nullopt;
        }
        position = (position + along.length) % along.length;
        if (twisted_ && along.length == shortest_of(axes_)) {
            shift_half_way(place);
        }
    }
    return chip_at(place);
}

} // namespace alxsim::topologies
