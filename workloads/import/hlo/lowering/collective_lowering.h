// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "topologies/machine.h"
#include "workloads/import/hlo/collectives.h"
#include "workloads/import/hlo/lowering/placement.h"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace alxsim::hlo {

/// Groups of devices as axes of a slice, where they are that: devices that differ in these axes
/// alone. Empty axes: all devices in one group.
struct GroupAxes {
    std::vector<std::string> axes;
    bool across_chips = false; ///< one of each chip's devices, at the same place
};

/// Nothing for groups that are no axes.
std::optional<GroupAxes> axes_of_groups(const std::vector<std::vector<int>>& groups,
                                        const topologies::Machine& machine);

/// Collectives of HLO as ours: groups and pairs of partitions as devices of the machine.
class CollectiveLowering {
public:
    /// `devices`: [partition], of devices_of_partitions().
    CollectiveLowering(const Module& module, const topologies::Machine& machine,
                       std::vector<int> devices)
        : module_(module),
          machine_(machine),
          devices_(std::move(devices)),
          partitions_(participants(module) == 0 ? devices_.size()
                                                : static_cast<std::size_t>(participants(module)))
    {
    }

    /// Nothing where each device communicates with none but itself. Throws InputError for groups
    /// that name partitions which are none.
    std::optional<model::Collective> lowered(const Collective& collective, model::Overlap overlap);

private:
    using Messages = std::shared_ptr<const std::vector<model::PairMessage>>;

    Messages messages_of(const Collective& collective);
    /// `first`: the first of the devices that run one text, a slice of several.
    int device_of(const Instruction& instruction, std::size_t first, std::int64_t partition) const;
    /// Sets the group; false where all are alone.
    bool set_group(const Collective& collective, model::Collective& lowered);

    const Module& module_;
    const topologies::Machine& machine_;
    std::vector<int> devices_;
    std::size_t partitions_; ///< of the text
    std::map<std::pair<std::string_view, std::int64_t>, Messages> known_;
};

} // namespace alxsim::hlo
