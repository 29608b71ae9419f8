// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/placement.h"

#include "base/input_error.h"
#include "topologies/chip_name.h"
#include "topologies/preset_reader.h"
#include "workloads/import/hlo/text/counting.h"

#include <set>

namespace alxsim::hlo {
namespace {

constexpr std::int64_t most_chips = std::int64_t{1} << 20; ///< of all slices

/// "16x16".
std::string shape_of_chips(const std::vector<std::int64_t>& chips)
{
    std::string shape;
    for (const std::int64_t length : chips) {
        shape += (shape.empty() ? "" : "x") + std::to_string(length);
    }
    return shape;
}

int chip_cores(const topologies::Preset& preset)
{
    return topologies::PresetReader(preset).count("tensorcores_per_chip");
}

/// Number of the device of a partition; -1 where the machine has none there.
int device_at(const PlacedPartition& place, const topologies::Machine& machine)
{
    const std::vector<topologies::Axis> axes = machine.slice.ici_axes();
    std::int64_t chip = 0, chips = 1;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const std::int64_t at = axis < place.coords.size() ? place.coords[axis] : 0;
        if (at < 0 || at >= axes[axis].length) {
            return -1;
        }
        chip = chip * axes[axis].length + at;
        chips *= axes[axis].length;
    }
    if (place.core < 0 || place.core >= machine.devices_per_chip || place.slice < 0 ||
        place.slice >= machine.slice.slices()) {
        return -1;
    }
    return static_cast<int>((place.slice * chips + chip) * machine.devices_per_chip + place.core);
}

} // namespace

topologies::Machine machine_of(const Sidecar& sidecar, const std::string& file)
{
    const auto preset = topologies::Preset::load(topologies::preset_named(sidecar.chip));
    std::int64_t chips = sidecar.slices;
    for (const std::int64_t length : sidecar.chips) {
        chips *= length;
    }
    const std::size_t axes = sidecar.chips.size();
    if (chips > most_chips) {
        throw InputError(file, "/topology",
                         "found " + std::to_string(chips) + " chips; allowed: up to " +
                             std::to_string(most_chips));
    }
    topologies::SliceRequest request;
    request.cores = static_cast<int>(chips) * chip_cores(preset);
    request.slices = static_cast<int>(sidecar.slices);
    request.shape = shape_of_chips(sidecar.chips);
    request.wrap = sidecar.wrap.value_or(std::vector<bool>(axes, false));
    request.wrap->resize(axes, false);
    try {
        return topologies::make_machine(preset, request);
    } catch (const InputError& error) {
        throw InputError(file, "", error.what());
    }
}

std::int64_t participants(const Module& module)
{
    const bool said = !module.config_value("num_partitions").empty() ||
                      !module.config_value("replica_count").empty();
    return said ? product(module.replica_count(), module.num_partitions()) : 0;
}

std::vector<int> devices_of_partitions(const Sidecar* sidecar, const topologies::Machine& machine,
                                       std::int64_t partitions, const std::string& file)
{
    if (partitions != 0 && partitions != machine.devices &&
        product(partitions, machine.slice.slices()) != machine.devices) {
        throw InputError(file, "",
                         "found " + std::to_string(partitions) +
                             " partitions; allowed: one for each of the " +
                             std::to_string(machine.devices) + " devices of " +
                             machine.slice.words() + " (of v4 and v5p a chip is a device)");
    }
    std::vector<int> devices(static_cast<std::size_t>(machine.devices));
    const bool placed = sidecar != nullptr && sidecar->assignment.size() == devices.size();
    std::set<int> seen;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i] = placed ? device_at(sidecar->assignment[i], machine) : static_cast<int>(i);
        if (devices[i] < 0 || !seen.insert(devices[i]).second) {
            throw InputError(file, "/assignment/" + std::to_string(i),
                             "found a place outside of " + machine.slice.words() +
                                 ", or that of another partition; allowed: a device for each");
        }
    }
    return devices;
}

} // namespace alxsim::hlo
