// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/collective_lowering.h"

#include "workloads/import/hlo/device_groups.h"
#include "workloads/import/hlo/lowering/works.h"

#include <algorithm>

namespace alxsim::hlo {
namespace {

model::CollectiveKind kind_of(std::string_view kind)
{
    return kind == "all_gather"       ? model::CollectiveKind::all_gather
           : kind == "reduce_scatter" ? model::CollectiveKind::reduce_scatter
           : kind == "all_to_all"     ? model::CollectiveKind::all_to_all
           : kind == "permute"        ? model::CollectiveKind::permute
                                      : model::CollectiveKind::all_reduce;
}

model::DType dtype_of(const Collective& collective)
{
    const Instruction& instruction = *collective.groups;
    const Shape* shape = instruction.operands.empty()
                             ? instruction.shape
                             : collective.where->operand(instruction, 0).shape;
    while (shape->is_tuple() && !shape->elements.empty()) {
        shape = &shape->elements.front();
    }
    const model::DType dtype = nearest_dtype(shape->dtype);
    return bits_of(shape->dtype) < 16 ? model::DType::bf16 : dtype;
}

/// Coordinates of a device: those of its chip, then its place on it.
std::vector<int> places_of(int device, const topologies::Machine& machine)
{
    std::vector<int> places = machine.slice.coordinates(device / machine.devices_per_chip);
    places.push_back(device % machine.devices_per_chip);
    return places;
}

} // namespace

std::optional<GroupAxes> axes_of_groups(const std::vector<std::vector<int>>& groups,
                                        const topologies::Machine& machine)
{
    std::size_t listed = 0;
    for (const std::vector<int>& group : groups) {
        listed += group.size();
    }
    if (groups.empty() || listed != static_cast<std::size_t>(machine.devices)) {
        return std::nullopt;
    }
    std::vector<bool> varies(machine.slice.axes().size() + 1, false);
    for (const std::vector<int>& group : groups) {
        const std::vector<int> first = places_of(group.front(), machine);
        for (const int device : group) {
            const std::vector<int> at = places_of(device, machine);
            for (std::size_t i = 0; i < at.size(); ++i) {
                varies[i] = varies[i] || at[i] != first[i];
            }
        }
    }
    std::size_t size = varies.back() ? static_cast<std::size_t>(machine.devices_per_chip) : 1;
    GroupAxes found;
    bool all = varies.back() || machine.devices_per_chip == 1;
    for (std::size_t i = 0; i + 1 < varies.size(); ++i) {
        const int length = machine.slice.axes()[i].length;
        size *= varies[i] ? static_cast<std::size_t>(length) : 1;
        all = all && (varies[i] || length == 1);
        if (varies[i]) {
            found.axes.push_back(machine.slice.axis_name(static_cast<int>(i)));
        }
    }
    const bool whole = std::all_of(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.size() == size; });
    if (!whole || (found.axes.empty() && !all)) {
        return std::nullopt;
    }
    found.across_chips = machine.devices_per_chip > 1 && !varies.back();
    if (all) {
        found.axes.clear();
    }
    return found;
}

int CollectiveLowering::device_of(const Instruction& instruction, std::size_t first,
                                  std::int64_t partition) const
{
    if (partition < 0 || partition >= static_cast<std::int64_t>(partitions_)) {
        module_.refuse(instruction, "found partition " + std::to_string(partition) +
                                        "; allowed: 0 to " + std::to_string(partitions_ - 1));
    }
    return devices_[first + static_cast<std::size_t>(partition)];
}

CollectiveLowering::Messages CollectiveLowering::messages_of(const Collective& collective)
{
    const Instruction& instruction = *collective.groups;
    const std::string_view pairs = instruction.attribute("source_target_pairs");
    const auto known = known_.find({pairs, collective.bytes});
    if (known != known_.end()) {
        return known->second;
    }
    std::vector<model::PairMessage> messages;
    const auto all = source_target_pairs(pairs, module_.file, module_.place_of(instruction.name));
    for (std::size_t first = 0; first < devices_.size(); first += partitions_) {
        for (const auto& [source, target] : all) {
            if (source != target) {
                messages.push_back({device_of(instruction, first, source),
                                    device_of(instruction, first, target),
                                    Bytes(collective.bytes)});
            }
        }
    }
    return known_[{pairs, collective.bytes}] =
               std::make_shared<const std::vector<model::PairMessage>>(std::move(messages));
}

bool CollectiveLowering::set_group(const Collective& collective, model::Collective& lowered)
{
    std::vector<std::vector<int>> groups;
    const auto all =
        devices_of(module_, *collective.groups, static_cast<std::int64_t>(partitions_));
    for (std::size_t first = 0; first < devices_.size(); first += partitions_) {
        for (const std::vector<std::int64_t>& group : all) {
            groups.emplace_back();
            for (const std::int64_t partition : group) {
                groups.back().push_back(device_of(*collective.groups, first, partition));
            }
        }
    }
    if (groups.empty() || groups.front().size() < 2) {
        return false;
    }
    if (const std::optional<GroupAxes> axes = axes_of_groups(groups, machine_)) {
        lowered.group = axes->axes;
        lowered.across_chips = axes->across_chips;
    } else {
        lowered.ranks = std::make_shared<const std::vector<std::vector<int>>>(std::move(groups));
    }
    return true;
}

std::optional<model::Collective> CollectiveLowering::lowered(const Collective& collective,
                                                             model::Overlap overlap)
{
    model::Collective lowered;
    lowered.kind = kind_of(collective.kind);
    lowered.bytes = Bytes(collective.bytes);
    lowered.dtype = dtype_of(collective);
    lowered.overlap = overlap;
    if (collective.between_slices) {
        lowered.group = {"dcn"};
        lowered.across_chips = machine_.devices_per_chip > 1;
        return lowered;
    }
    if (lowered.kind == model::CollectiveKind::permute) {
        lowered.messages = messages_of(collective);
        return lowered.messages->empty() ? std::nullopt : std::optional<model::Collective>(lowered);
    }
    return set_group(collective, lowered) ? std::optional<model::Collective>(lowered)
                                          : std::nullopt;
}

} // namespace alxsim::hlo
