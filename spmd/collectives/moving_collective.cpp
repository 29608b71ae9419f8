// SPDX-License-Identifier: Apache-2.0
#include "spmd/collectives/moving_collective.h"

namespace alxsim::spmd {
namespace {

/// Whether each member of every group sends to the next one, the last to the first.
bool passes_round(const MovingCollective& collective)
{
    const int members = static_cast<int>(groups_of(collective).front().size());
    return collective.cyclic && (collective.shift - 1) % members == 0;
}

std::vector<model::PairMessage> messages_of(const MovingCollective& collective, Bytes each)
{
    std::vector<model::PairMessage> messages;
    for (const std::vector<int>& group : groups_of(collective)) {
        for (std::size_t member = 0; member < group.size(); ++member) {
            const int receiver = moving::receiver_of(collective, group, member);
            if (receiver >= 0) {
                messages.push_back({group[member], receiver, each});
            }
        }
    }
    return messages;
}

} // namespace

model::Collective work_of(const MovingCollective& collective)
{
    model::Collective work;
    work.kind = collective.kind;
    work.bytes = model::size_of(collective.dtype) * collective.elements;
    work.root = collective.root;
    work.dtype = collective.dtype;
    if (collective.kind == model::CollectiveKind::permute && !passes_round(collective)) {
        work.messages = std::make_shared<const std::vector<model::PairMessage>>(
            messages_of(collective, work.bytes));
    } else if (collective.groups) {
        work.ranks = collective.groups;
    } else {
        work.group = collective.axes;
        work.mesh = collective.mesh;
    }
    return work;
}

model::Collective work_both_ways(const MovingCollective& permute)
{
    model::Collective work = work_of(permute);
    work.bytes = work.bytes * 2;
    work.schedule.directions = 2;
    return work;
}

std::vector<std::vector<int>> groups_of(const MovingCollective& collective)
{
    return collective.groups ? *collective.groups
                             : model::groups_of_mesh(*collective.mesh, collective.axes);
}

int moving::receiver_of(const MovingCollective& collective, const std::vector<int>& group,
                        std::size_t member)
{
    const int members = static_cast<int>(group.size());
    const int place = static_cast<int>(member) + collective.shift;
    if (collective.cyclic) {
        return group[static_cast<std::size_t>((place % members + members) % members)];
    }
    return place >= 0 && place < members ? group[static_cast<std::size_t>(place)] : -1;
}

void moving::check_elements(const MovingCollective& collective, std::size_t found,
                            std::size_t expected)
{
    if (found != expected) {
        throw std::logic_error("a collective of " + std::to_string(collective.elements) +
                               " elements found an array of " + std::to_string(found) + " where " +
                               std::to_string(expected) + " belong");
    }
}

} // namespace alxsim::spmd
