// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/routed_schedule.h"

#include "base/input_error.h"
#include "model/collectives/message_bound.h"
#include "model/collectives/replays/routed_network.h"
#include "model/schedules/routed_load.h"

#include <algorithm>
#include <optional>

namespace alxsim::model {
namespace {

using topologies::Machine;

constexpr std::int64_t most_equal_messages = std::int64_t{1} << 20;
/// At most, in a replay: some 30 ms.
constexpr std::int64_t replayed_packet_hops = std::int64_t{1} << 18;
/// With less a message takes longer from hop to hop than it does.
constexpr std::int64_t fewest_packets = 32;
/// A prime, so that neighbours begin far apart.
constexpr std::size_t first_step = 37;

/// Devices of each group, in order.
std::vector<std::vector<int>> members_of_groups(const Collective& collective,
                                                const CollectiveGroup& group,
                                                const Machine& machine)
{
    if (collective.ranks) {
        return *collective.ranks;
    }
    std::vector<std::vector<int>> members(
        static_cast<std::size_t>(machine.devices / group.devices));
    const std::vector<int> groups = groups_of_devices(group, machine);
    for (int device = 0; device < machine.devices; ++device) {
        const int number = groups[static_cast<std::size_t>(device)];
        members[static_cast<std::size_t>(number)].push_back(device);
    }
    return members;
}

std::vector<PairMessage> equal_messages(const Collective& collective, const CollectiveGroup& group,
                                        const Machine& machine)
{
    const std::int64_t count = std::int64_t{machine.devices} * (group.devices - 1);
    if (count > most_equal_messages) {
        throw InputError("", "collective/schedule/algorithm",
                         "found a routed all_to_all of " + std::to_string(count) +
                             " messages between " + std::to_string(machine.devices) +
                             " devices; allowed: up to " + std::to_string(most_equal_messages) +
                             " messages, 1024 devices that all exchange");
    }
    const Bytes share = ceil_share(collective.bytes, group.devices);
    std::vector<PairMessage> messages;
    messages.reserve(static_cast<std::size_t>(count));
    for (const std::vector<int>& members : members_of_groups(collective, group, machine)) {
        for (std::size_t source = 0; source < members.size(); ++source) {
            // Everybody begins somewhere else: with the same way to go, all would crowd the same
            // links.
            const std::size_t others = members.size() - 1;
            for (std::size_t i = 0; i < others; ++i) {
                const std::size_t further = 1 + (i + source * first_step) % others;
                messages.push_back(
                    {members[source], members[(source + further) % members.size()], share});
            }
        }
    }
    return messages;
}

std::vector<PairMessage> shifted_messages(const Collective& collective)
{
    std::vector<PairMessage> messages;
    for (const std::vector<int>& members : *collective.ranks) {
        const std::size_t size = members.size();
        const bool both_ways = collective.schedule.directions == 2;
        const Bytes each = both_ways ? ceil_share(collective.bytes, 2) : collective.bytes;
        for (std::size_t i = 0; size > 1 && i < size; ++i) {
            messages.push_back({members[i], members[(i + 1) % size], each});
            if (both_ways) {
                messages.push_back({members[i], members[(i + size - 1) % size], each});
            }
        }
    }
    return messages;
}

std::vector<PairMessage> given_messages(const Collective& collective, const CollectiveGroup& group,
                                        const Machine& machine)
{
    check_devices(*collective.messages, machine);
    const std::vector<int> groups = groups_of_devices(group, machine);
    const auto group_of_device = [&](int device) {
        return groups[static_cast<std::size_t>(device)];
    };
    std::vector<PairMessage> messages;
    for (std::size_t i = 0; i < collective.messages->size(); ++i) {
        const PairMessage& message = (*collective.messages)[i];
        const std::string place = "collective/messages/" + std::to_string(i);
        if (group_of_device(message.source) != group_of_device(message.destination)) {
            throw InputError("", place,
                             "found devices " + std::to_string(message.source) + " and " +
                                 std::to_string(message.destination) +
                                 "; allowed: two devices of one group");
        }
        if (message.source != message.destination) {
            messages.push_back(message);
        }
    }
    return messages;
}

/// Throws InputError for an order that never ends, or has messages to oneself, which are not sent.
MessageOrder given_order(const Collective& collective)
{
    const std::vector<PairMessage>& messages = *collective.messages;
    if (const std::optional<OrderProblem> found = problem_of(messages, *collective.after)) {
        throw InputError("", "collective/messages/" + std::to_string(found->message) + "/after",
                         found->problem);
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].source == messages[i].destination) {
            throw InputError("", "collective/messages/" + std::to_string(i),
                             "found a message from device " + std::to_string(messages[i].source) +
                                 " to itself; allowed, where messages wait: between two devices");
        }
    }
    return *collective.after;
}

} // namespace

CollectiveSchedule routed_schedule(const Collective& collective, const CollectiveGroup& group,
                                   const Machine& machine)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "routed, dimension order");
    schedule.messages = collective.messages ? given_messages(collective, group, machine)
                        : collective.kind == CollectiveKind::permute
                            ? shifted_messages(collective)
                            : equal_messages(collective, group, machine);
    if (collective.after) {
        schedule.name = "messages in their order";
        schedule.messages_after = given_order(collective);
    }
    const RoutedLoad load = load_of(schedule.messages, schedule.messages_after, machine);
    schedule.messages_time = load.time;
    schedule.messages_link_bytes = load.link_bytes;
    const std::int64_t packets = replayed_packet_hops / std::max<std::int64_t>(1, load.hops);
    if (packets >= fewest_packets) {
        schedule.messages_over = std::make_shared<const RoutedNetwork>(machine, packets);
    }
    return schedule;
}

} // namespace alxsim::model
