// SPDX-License-Identifier: Apache-2.0
#include "sim/one_chip.h"

#include "model/collectives/replays/even_collective.h"
#include "model/graph/for_each_op.h"
#include "sim/collective_run.h"

#include <algorithm>
#include <cstddef>

namespace alxsim::sim {

using topologies::Machine;

bool has_chips_alike(const Machine& machine)
{
    return machine.slice.chips() > 1 && machine.faults.links.empty() &&
           machine.faults.device_speed.empty() && machine.network.vc_buffer == Bytes(0);
}

namespace {

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

Machine first_chip_of(const Machine& machine)
{
    Machine chip = machine;
    chip.slice = topologies::Slice(std::vector<topologies::Axis>(machine.slice.ici_axes().size()),
                                   machine.slice.cores_per_chip(), machine.slice.assumed());
    chip.devices = machine.devices_per_chip;
    chip.cores = machine.cores / machine.slice.chips();
    return chip;
}

} // namespace alxsim::sim
