// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/slice_options.h"

#include "base/input_error.h"
#include "experiments/points/study/machine_request.h"
#include "topologies/chip_name.h"
#include "topologies/listed_slice.h"

#include <algorithm>
#include <functional>
#include <optional>

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

bool is_made(const PointStudy& studied, const Settings& set)
{
    try {
        machine_of(changed(studied, set).machine, studied.file);
        return true;
    } catch (const InputError&) {
        return false; // no such slice in this chip's pod
    }
}

/// The slice that so many cores of a chip get by default.
topologies::Slice default_slice(const topologies::Preset& preset, int cores)
{
    topologies::SliceRequest request;
    request.cores = cores;
    try {
        return topologies::Slice::choose(preset, request);
    } catch (const InputError& error) {
        throw InputError("core counts to choose among", std::to_string(cores), error.what());
    }
}

std::string settled_fields(const MachineRequest& machine)
{
    const std::pair<bool, const char*> all[] = {{machine.slices.value_or(1) > 1, "slices"},
                                                {machine.wrap.has_value(), "wrap"},
                                                {machine.twisted, "twisted"},
                                                {machine.faults.has_value(), "faults"}};
    std::vector<std::string> fields;
    for (const auto& [settled, field] : all) {
        if (settled) {
            fields.emplace_back(field);
        }
    }
    return join(fields, " and ");
}

/// All boxes of as many chips as the slice has, with sides that do not decrease.
std::vector<Box> boxes_like(const topologies::Slice& slice)
{
    std::vector<Box> boxes;
    list_boxes(slice.chips(), slice.axes().size(), {}, boxes);
    return boxes;
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

bool is_listed(const topologies::Preset& preset, const Box& box)
{
    const std::vector<topologies::ListedSlice> listed = topologies::listed_slices(preset);
    return std::any_of(listed.begin(), listed.end(), [&](const topologies::ListedSlice& slice) {
        return has_sides_of(topologies::Slice(slice.axes, 1, false), box);
    });
}

void add_own_count(std::vector<Option>& options, const PointStudy& studied,
                   const topologies::Machine& machine, bool any)
{
    for (const Box& box : boxes_like(machine.slice)) {
        const Settings set{{"/machine/slice", shape_of(box)}};
        const bool offered = any || is_listed(machine.preset, box);
        if (offered && !has_sides_of(machine.slice, box) && is_made(studied, set)) {
            options.push_back({"slice " + shape_of(box), set, false});
        }
    }
}

/// The preset with the study's overrides. Throws InputError for a chip that the study cannot have.
topologies::Preset preset_with_overrides(const PointStudy& studied, const std::string& chip)
{
    try {
        topologies::Preset preset = topologies::Preset::load(chip_of(chip, studied.file));
        for (const auto& [key, value] : studied.machine.overrides) {
            preset.override_value(key, value, "/machine/overrides/" + key);
        }
        return preset;
    } catch (const InputError& error) {
        throw InputError("chips to choose among", chip, error.what());
    }
}

/// The slices that so many cores may have, the usual one first.
std::vector<Box> offered_boxes(const topologies::Preset& preset, int count, bool any)
{
    const topologies::Slice usual = default_slice(preset, count);
    std::vector<Box> offered;
    for (const Box& box : boxes_like(usual)) {
        if (any || has_sides_of(usual, box) || is_listed(preset, box)) {
            offered.push_back(box);
        }
    }
    std::stable_partition(offered.begin(), offered.end(),
                          [&](const Box& box) { return has_sides_of(usual, box); });
    return offered;
}

/// Adds the slices of so many cores; says whether there is any. `chip`: "" for the studied one.
bool add_count(std::vector<Option>& options, const PointStudy& studied,
               const topologies::Preset& preset, const std::string& chip, int count, bool any)
{
    const std::size_t before = options.size();
    for (const Box& box : offered_boxes(preset, count, any)) {
        Settings set{{"/machine/cores", count}, {"/machine/slice", shape_of(box)}};
        if (!chip.empty()) {
            set.set("/machine/chip", chip);
        }
        if (is_made(studied, set)) {
            options.push_back({(chip.empty() ? "" : chip + ", ") + std::to_string(count) +
                                   " cores, slice " + shape_of(box),
                               std::move(set), false});
        }
    }
    return options.size() > before;
}

/// What a chip to choose is called; the path of a preset is its own name.
topologies::ChipName named(const std::string& chip)
{
    try {
        return topologies::chip_named(chip).value_or(topologies::ChipName{chip, {}, {}});
    } catch (const InputError& error) {
        throw InputError("chips to choose among", chip, error.what());
    }
}

std::vector<int> counts_of(const SliceChoice& choice, const topologies::ChipName& name, int studied)
{
    return name.cores             ? std::vector<int>{*name.cores}
           : choice.cores.empty() ? std::vector<int>{studied}
                                  : choice.cores;
}

/// Leaves the slice that a name says in chips per axis.
void keep_shape(std::vector<Option>& options, const std::string& shape)
{
    const auto other = [&](const Option& option) {
        const Json& offered = *option.set.find("/machine/slice");
        return !topologies::same_sides(shape, offered.get<std::string>());
    };
    options.erase(std::remove_if(options.begin(), options.end(), other), options.end());
}

} // namespace

std::vector<Option> slice_options(const PointStudy& studied, const topologies::Machine& machine,
                                  const SliceChoice& choice)
{
    std::vector<Option> options;
    const std::string settled = settled_fields(studied.machine);
    const topologies::ChipName name = named(choice.chip);
    const bool own_chip = name.preset == *studied.machine.chip;
    const bool any = choice.any || name.shape;
    std::optional<topologies::Preset> other;
    if (!own_chip) {
        other = preset_with_overrides(studied, name.preset);
    }
    for (const int count : counts_of(choice, name, machine.cores)) {
        if (own_chip && count == machine.cores) {
            if (settled.empty()) {
                add_own_count(options, studied, machine, any);
            }
        } else if (!add_count(options, studied, own_chip ? machine.preset : *other,
                              own_chip ? "" : name.preset, count, any)) {
            throw InputError("core counts to choose among", std::to_string(count),
                             settled.empty()
                                 ? "no slice of " + name.preset + " goes with this study"
                                 : "no slice of so many cores goes with the " + settled +
                                       " of the study; allowed: " + std::to_string(machine.cores) +
                                       ", or a study without them");
        }
    }
    if (name.shape) {
        keep_shape(options, *name.shape);
    }
    return options;
}

} // namespace alxsim::experiments
