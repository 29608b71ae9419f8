// SPDX-License-Identifier: Apache-2.0
#include "sim/one_chip.h"

#include "model/collectives/replays/even_collective.h"
#include "model/graph/for_each_op.h"
#include "sim/collective_run.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace alxsim::sim {

using topologies::Machine;

namespace {

/// Whether its devices are as fast as those of the chip before.
bool is_as_before(const std::vector<double>& device_speed, int chip, int devices_per_chip)
{
    const auto first = device_speed.begin() + std::ptrdiff_t{chip} * devices_per_chip;
    return std::equal(first, first + devices_per_chip, first - devices_per_chip);
}

std::vector<int> chips_to_tell(const Machine& machine)
{
    const std::vector<double>& speeds = machine.faults.device_speed;
    std::vector<int> chips{0};
    for (int chip = 1; !speeds.empty() && chip < machine.slice.chips(); ++chip) {
        if (!is_as_before(speeds, chip, machine.devices_per_chip)) {
            chips.push_back(chip);
        }
    }
    return chips;
}

bool same_on_all_chips(const std::vector<std::int64_t>& counts, int devices_per_chip)
{
    const auto devices = static_cast<std::size_t>(devices_per_chip);
    return counts.size() <= devices ||
           std::equal(counts.begin() + devices_per_chip, counts.end(), counts.begin());
}

} // namespace

bool has_chips_alike(const model::CompiledGraph& graph, const model::Counts& counts,
                     const Machine& machine)
{
    const bool counted_alike = std::all_of(counts.begin(), counts.end(), [&](const auto& counter) {
        return same_on_all_chips(counter.second, machine.devices_per_chip);
    });
    return counted_alike && graph.roles.empty() &&
           !model::any_op(graph, [](const model::CompiledOp& op) {
               return op.meeting || !op.cost_of_device.empty() || model::is_without_launch(op) ||
                      (op.schedule && !(model::has_chips_alike(*op.schedule) &&
                                        hangs_on_all_members(*op.schedule)));
           });
}

bool has_chips_alike(const Machine& machine)
{
    return 2 * devices_that_tell(machine) <= machine.devices && machine.faults.links.empty() &&
           machine.network.vc_buffer == Bytes(0);
}

int devices_that_tell(const Machine& machine)
{
    return static_cast<int>(chips_to_tell(machine).size()) * machine.devices_per_chip;
}

Machine chips_that_tell(const Machine& machine)
{
    const std::vector<int> chips = chips_to_tell(machine);
    const auto count = static_cast<int>(chips.size());
    Machine telling = machine;
    std::vector<topologies::Axis> axes(machine.slice.ici_axes().size());
    axes.front().length = count;
    telling.slice =
        topologies::Slice(std::move(axes), machine.slice.cores_per_chip(), machine.slice.assumed());
    telling.devices = count * machine.devices_per_chip;
    telling.cores = machine.cores / machine.slice.chips() * count;
    std::vector<double>& speeds = telling.faults.device_speed;
    if (!speeds.empty()) {
        speeds.clear();
        for (const int chip : chips) {
            for (int device = 0; device < machine.devices_per_chip; ++device) {
                speeds.push_back(machine.faults.speed_of(chip * machine.devices_per_chip + device));
            }
        }
    }
    return telling;
}

} // namespace alxsim::sim
