// SPDX-License-Identifier: Apache-2.0
#include "topologies/listed_slice.h"

#include "base/input_error.h"

#include <algorithm>
#include <sstream>

namespace alxsim::topologies {
namespace {

ListedSlice read_slice(const Json& entry)
{
    ListedSlice slice;
    slice.kind = entry.at("kind").get<std::string>();
    slice.source = entry.at("source").get<std::string>();
    for (const Json& length : entry.at("shape")) {
        slice.axes.push_back({length.get<int>(), false});
    }
    for (std::size_t axis = 0; axis < slice.axes.size() && axis < entry.at("wrap").size(); ++axis) {
        slice.axes[axis].wraps = entry.at("wrap").at(axis).get<bool>();
    }
    if (entry.contains("disputed_wrap")) {
        slice.disputed_wrap = entry.at("disputed_wrap").get<std::vector<bool>>();
    }
    return slice;
}

std::string problem_of(const Json& entry, const ListedSlice& slice, const ListedSlice& before)
{
    const std::size_t axes = slice.axes.size();
    if (entry.at("wrap").size() != axes ||
        (!slice.disputed_wrap.empty() && slice.disputed_wrap.size() != axes)) {
        return "shape and wrap have different numbers of axes";
    }
    if (axes != before.axes.size()) {
        return "has another number of axes than the first slice";
    }
    if (chips_of(slice.axes) < chips_of(before.axes)) {
        return "has fewer chips than the slice before it";
    }
    return "";
}

} // namespace

std::vector<ListedSlice> listed_slices(const Preset& preset)
{
    const char* const key = "slice_shapes_chips";
    std::vector<ListedSlice> slices;
    for (const Json& entry : preset.at(key).value) {
        const ListedSlice slice = read_slice(entry);
        const std::string problem =
            problem_of(entry, slice, slices.empty() ? slice : slices.back());
        if (!problem.empty()) {
            throw InputError("preset " + preset.name(),
                             std::string(key) + "/" + std::to_string(slices.size()),
                             shape_of(slice.axes) + " " + problem);
        }
        slices.push_back(slice);
    }
    return slices;
}

int chips_of(const std::vector<Axis>& axes)
{
    int chips = 1;
    for (const Axis& axis : axes) {
        chips *= axis.length;
    }
    return chips;
}

std::string shape_of(const std::vector<Axis>& axes)
{
    std::vector<std::string> lengths;
    lengths.reserve(axes.size());
    for (const Axis& axis : axes) {
        lengths.push_back(std::to_string(axis.length));
    }
    return join(lengths, "x");
}

bool same_sides(const std::string& one_shape, const std::string& other_shape)
{
    const auto sides_of = [](const std::string& shape) {
        std::vector<std::string> sides;
        std::istringstream parts(shape);
        for (std::string side; std::getline(parts, side, 'x');) {
            sides.push_back(side);
        }
        std::sort(sides.begin(), sides.end());
        return sides;
    };
    return sides_of(one_shape) == sides_of(other_shape);
}

} // namespace alxsim::topologies
