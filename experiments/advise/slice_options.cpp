// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/slice_options.h"

#include "base/input_error.h"
#include "experiments/machine_request.h"

#include <algorithm>
#include <functional>

namespace alxsim::experiments {
namespace {

using Box = std::vector<int>;

std::string shape_of(const Box& box)
{
    std::vector<std::string> sides;
    std::transform(box.begin(), box.end(), std::back_inserter(sides),
                   [](int side) { return std::to_string(side); });
    return join(sides, "x");
}

/// All boxes of so many chips with sides that do not decrease.
void list_boxes(int chips, std::size_t axes, const Box& prefix, std::vector<Box>& boxes)
{
    for (int side = prefix.empty() ? 1 : prefix.back(); side <= chips; ++side) {
        Box box = prefix;
        box.push_back(side);
        if (axes == 1 && side == chips) {
            boxes.push_back(box);
        } else if (axes > 1 && chips % side == 0) {
            list_boxes(chips / side, axes - 1, box, boxes);
        }
    }
}

/// Whether the study says more of its slice than a size.
bool is_settled(const Json& machine)
{
    const char* const fields[] = {"wrap", "twisted", "faults"};
    return std::any_of(std::begin(fields), std::end(fields),
                       [&](const char* field) { return machine.contains(field); });
}

bool is_made(const Study& released, const Json& set)
{
    try {
        Study changed = released;
        set_values(changed, set);
        machine_of(changed.document, changed.file);
        return true;
    } catch (const InputError&) {
        return false; // no such slice in this chip's pod
    }
}

bool has_sides_of(const topologies::Slice& slice, Box box)
{
    Box sides;
    for (const topologies::Axis& axis : slice.axes()) {
        sides.push_back(axis.length);
    }
    std::sort(sides.begin(), sides.end());
    std::sort(box.begin(), box.end());
    return sides == box;
}

} // namespace

topologies::Machine released_machine(const Study& released)
{
    return machine_of(released.document, released.file);
}

std::vector<Option> slice_options(const Study& released, const topologies::Machine& machine,
                                  const std::vector<int>& cores)
{
    std::vector<Option> options{{}};
    const bool settled = is_settled(released.document.at("machine"));
    for (const int count : cores.empty() ? std::vector<int>{machine.cores} : cores) {
        if (settled && count == machine.cores) {
            continue;
        }
        std::vector<Box> boxes;
        list_boxes(std::max(1, count / machine.slice.cores_per_chip()), machine.slice.axes().size(),
                   {}, boxes);
        for (const Box& box : boxes) {
            const bool as_released = count == machine.cores && has_sides_of(machine.slice, box);
            Json set{{"/machine/slice", shape_of(box)}};
            std::string words = "slice " + shape_of(box);
            if (count != machine.cores) {
                set["/machine/cores"] = count;
                words = std::to_string(count) + " cores, " + words;
            }
            if (!as_released && is_made(released, set)) {
                options.push_back({words, std::move(set), false});
            }
        }
    }
    return options;
}

} // namespace alxsim::experiments
