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

Slice::Slice(std::vector<Axis> axes, int cores_per_chip, bool assumed, bool twisted, int slices)
    : axes_(std::move(axes)),
      cores_per_chip_(cores_per_chip),
      assumed_(assumed),
      twisted_(twisted),
      slices_(slices)
{
    if (axes_.empty() || cores_per_chip_ < 1 || slices_ < 1) {
        throw std::invalid_argument(
            "found no slice, or one without axes or cores; allowed: at least one of each");
    }
    for (Axis& axis : axes_) {
        if (axis.length < 1) {
            throw std::invalid_argument("an axis of a slice needs a chip");
        }
        axis.wraps = axis.wraps && axis.length > 2;
    }
    if (twisted_ && (!can_be_twisted(axes_) || slices_ > 1)) {
        throw std::invalid_argument("a slice of " + shape() + " cannot be twisted");
    }
    strides_.assign(axes_.size(), 1);
    for (std::size_t axis = axes_.size() - 1; axis-- > 0;) {
        strides_[axis] = strides_[axis + 1] * axes_[axis + 1].length;
    }
    if (slices_ > 1) {
        strides_.push_back(chips_of(axes_));
        axes_.push_back({slices_, slices_ > 2, AxisLinks::dcn});
    }
}

std::vector<Axis> Slice::ici_axes() const
{
    return {axes_.begin(), axes_.end() - (slices_ > 1 ? 1 : 0)};
}

std::optional<int> Slice::dcn_axis() const
{
    return slices_ > 1 ? std::optional(static_cast<int>(axes_.size()) - 1) : std::nullopt;
}

std::string Slice::axis_name(int axis) const
{
    return axis == dcn_axis() ? "dcn" : std::string(1, "xyz"[axis]);
}

std::vector<std::string> Slice::axis_names() const
{
    std::vector<std::string> names;
    for (int axis = 0; axis < static_cast<int>(axes_.size()); ++axis) {
        names.push_back(axis_name(axis));
    }
    return names;
}

int Slice::chips() const
{
    return chips_of(axes_);
}

std::string Slice::shape() const
{
    return shape_of(ici_axes());
}

std::string Slice::words() const
{
    return slices_ > 1 ? std::to_string(slices_) + " slices of " + shape() : shape();
}

std::vector<int> Slice::coordinates(int chip) const
{
    if (chip < 0 || chip >= chips()) {
        throw std::out_of_range("no chip " + std::to_string(chip) + " in a slice of " + shape());
    }
    std::vector<int> place(axes_.size());
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        place[axis] = chip / strides_[axis] % axes_[axis].length;
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
        chip += strides_[axis] * coordinates[axis];
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
