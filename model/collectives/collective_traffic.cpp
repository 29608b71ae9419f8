// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_traffic.h"

#include "model/collectives/collective_group.h"

#include <algorithm>
#include <map>

namespace alxsim::model {
namespace {

/// Devices of a group.
int members_of(const CollectiveSchedule& schedule)
{
    if (schedule.ranks) {
        return static_cast<int>(schedule.ranks->groups.front().size());
    }
    int members = 1;
    for (const int axis : schedule.group) {
        members *= schedule.axes[static_cast<std::size_t>(axis)].length;
    }
    return members;
}

/// Returns that of the device with most of both.
HbmAccess access_of(const std::vector<PairMessage>& messages)
{
    std::map<int, HbmAccess> of_device;
    for (const PairMessage& message : messages) {
        if (message.source != message.destination) {
            of_device[message.source].read += message.bytes;
            of_device[message.destination].written += message.bytes;
        }
    }
    HbmAccess most;
    for (const auto& [device, access] : of_device) {
        most = access.bytes() > most.bytes() ? access : most;
    }
    return most;
}

HbmAccess streamed(Bytes read, Bytes written)
{
    HbmAccess access;
    access.read = read;
    access.written = written;
    return access;
}

bool runs_as_all_reduce(const CollectiveSchedule& schedule)
{
    const std::string& name = schedule.algorithm.name;
    return name == "all_reduce_and_slice" || name == "all_reduce_of_zeros";
}

HbmAccess access_of_kind(const Collective& collective, const CollectiveSchedule& schedule)
{
    const Bytes all = collective.bytes;
    const int members = members_of(schedule);
    const Bytes received = all - ceil_share(all, members);
    if (runs_as_all_reduce(schedule)) {
        return streamed(received * 2, received * 2);
    }
    switch (collective.kind) {
    case CollectiveKind::all_gather:
        return streamed(Bytes(0), received);
    case CollectiveKind::reduce_scatter:
        return streamed(received * 2, received);
    case CollectiveKind::all_reduce:
        return streamed(received * 2, received * 2);
    case CollectiveKind::all_to_all:
        return streamed(received, received);
    case CollectiveKind::permute:
        return members > 1 ? streamed(all, all) : HbmAccess();
    case CollectiveKind::broadcast:
        return members > 1 ? streamed(Bytes(0), all) : HbmAccess();
    case CollectiveKind::reduce:
        return members > 1 ? streamed(all * 2, all) : HbmAccess();
    }
    return {};
}

} // namespace

bool in_vmem(const std::vector<BufferUse>& uses, const BufferPlacement& placement)
{
    return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const BufferUse& use) {
        return placement.vmem(use.buffer);
    });
}

HbmAccess collective_access(const Op& op, const Collective& collective,
                            const CollectiveSchedule& schedule, const BufferPlacement& placement)
{
    HbmAccess access = collective.messages ? access_of(*collective.messages)
                                           : access_of_kind(collective, schedule);
    access.read = in_vmem(op.reads, placement) ? Bytes(0) : access.read;
    access.written = in_vmem(op.writes, placement) ? Bytes(0) : access.written;
    return access;
}

std::shared_ptr<const CollectiveTraffic> traffic_of(const HbmAccess& access,
                                                    const CollectivePace& pace,
                                                    const topologies::Machine& machine,
                                                    StreamRates& streams)
{
    if (access.bytes() == Bytes(0)) {
        return nullptr;
    }
    CollectiveTraffic traffic{access, hbm_cost(access, machine, streams), pace.together};
    const Picoseconds least =
        std::max(traffic.cost.busy * machine.devices_per_chip, traffic.cost.alone);
    if (pace.synchronous && (least <= pace.time || !pace.together)) {
        return nullptr;
    }
    // What nobody waits for is to be over when the collective is.
    traffic.access.over = pace.together ? pace.time : pace.time - pace.time / 64;
    traffic.cost.alone = std::max(traffic.cost.alone, traffic.access.over);
    return std::make_shared<const CollectiveTraffic>(std::move(traffic));
}

} // namespace alxsim::model
