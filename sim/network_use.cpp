// SPDX-License-Identifier: Apache-2.0
// What Network has carried, and what it tells of that.
#include "sim/collective_instance.h"
#include "sim/network.h"

namespace alxsim::sim {

NetworkCounters Network::counters() const
{
    NetworkCounters result;
    result.links = packets_.link_uses();
    result.on_chip_bytes = on_chip_bytes_;
    result.messages = messages_;
    result.message_hops = packets_.use().message_hops;
    const NetworkCounters nothing{std::vector<LinkUse>(result.links.size()), {}, 0, 0};
    result.add(nothing, repeated_, 1);
    return result;
}

Network::Counting Network::counting() const
{
    Counting result;
    for (const auto& [number, instance] : instances_) {
        if (instance.get() == held_) {
            ++result.not_yet;
        } else if (instance->as_remembered) {
            ++result.whole;
        }
    }
    return result;
}

void Network::add_live_activities(std::vector<ActivityRef>& live) const
{
    for (const auto& [number, instance] : instances_) {
        live.push_back(instance->arrivals.last_cause);
    }
}

/// What all chips do where one tells.
RememberedCollective Network::course_of(const model::EvenCollective& collective) const
{
    RememberedCollective course;
    for (int device = 0; device < grid_.devices(); ++device) {
        course.finish.push_back(collective.done[static_cast<std::size_t>(grid_.local(device))]);
    }
    course.before.links.resize(packets_.link_uses().size());
    course.after = course.before;
    for (int chip = 0; chip < slice_.chips(); ++chip) {
        add_loads(collective.loads, chip, course.after);
    }
    return course;
}

/// What goes from a chip in one collective.
void Network::add_loads(const std::vector<std::array<model::AxisLoad, 2>>& loads, int chip,
                        NetworkCounters& counters) const
{
    for (std::size_t axis = 0; axis < loads.size(); ++axis) {
        const int torus_axis = grid_.axes()[axis].torus_axis;
        for (const int way : {model::up, model::down}) {
            const model::AxisLoad& load = loads[axis][static_cast<std::size_t>(way)];
            counters.messages += load.messages;
            if (torus_axis == model::NetworkAxis::on_chip) {
                counters.on_chip_bytes += load.bytes;
                continue;
            }
            counters.message_hops += load.messages;
            const int direction = way == model::up ? +1 : -1;
            counters.links[packets_.link_number(chip, torus_axis, direction)] = {
                load.bytes, load.busy, load.packets};
        }
    }
}

void Network::repeat(const NetworkCounters& before, const NetworkCounters& after,
                     std::int64_t times, Picoseconds start, Picoseconds finish)
{
    repeated_.add(before, after, times);
    note_repeated(before, after, times, start, finish);
}

/// Every link that carried something, once.
void Network::note_repeated(const NetworkCounters& before, const NetworkCounters& after,
                            std::int64_t times, Picoseconds start, Picoseconds finish) const
{
    if (observer_ == nullptr) {
        return;
    }
    NetworkCounters repeated{std::vector<LinkUse>(before.links.size()), {}, 0, 0};
    repeated.add(before, after, times);
    for (int chip = 0; chip < slice_.chips(); ++chip) {
        for (int axis = 0; axis < static_cast<int>(slice_.axes().size()); ++axis) {
            for (const int direction : {+1, -1}) {
                const LinkUse& link = repeated.links[packets_.link_number(chip, axis, direction)];
                if (link.packets > 0) {
                    observer_->link_carried({chip, axis, direction, start, finish, link.busy,
                                             link.bytes, link.packets, true});
                }
            }
        }
    }
}

void Network::declare_links(const NetworkCounters& counted, Statistics& statistics) const
{
    for (int chip = 0; chip < slice_.chips(); ++chip) {
        LinkUse starting;
        for (int axis = 0; axis < static_cast<int>(slice_.axes().size()); ++axis) {
            for (const int direction : {+1, -1}) {
                const LinkUse& link = counted.links[packets_.link_number(chip, axis, direction)];
                starting.bytes += link.bytes;
                starting.busy += link.busy;
            }
        }
        const OwnedBy by{Owner::chip, chip};
        statistics.declare("link_bytes", "Bytes on directed ICI links, by where they start.",
                           starting.bytes, by);
        statistics.declare("link_busy",
                           "Time that directed ICI links were busy, by where they start.",
                           starting.busy, by);
    }
}

void Network::declare_statistics(Statistics& statistics) const
{
    const NetworkCounters counted = counters();
    std::int64_t collectives = 0; // as the first device met them
    for (const auto& [axes, sequence] : sequences_) {
        collectives += sequence.entered.front();
    }
    statistics.declare("network_messages",
                       "Messages that devices have sent each other in collectives.",
                       counted.messages);
    statistics.declare("network_message_hops",
                       "Links between source and destination, over all messages.",
                       counted.message_hops);
    declare_links(counted, statistics);
    statistics.declare("on_chip_bytes", "Bytes between devices of one chip.",
                       counted.on_chip_bytes);
    statistics.declare("collectives", "Collectives, but for those in repeated iterations of loops.",
                       collectives);
    statistics.declare("collectives_remembered",
                       "Of them, those that went as they went before and were not simulated.",
                       remembered_ - predicted_ - replayed_);
    statistics.declare("collectives_predicted",
                       "Of them, those of which one chip told all others, and were not simulated.",
                       predicted_);
    statistics.declare("collectives_replayed",
                       "Of them, those that nothing disturbed, played from when each device was "
                       "ready by themselves, not message by message in simulated time.",
                       replayed_);
    statistics.declare("collectives_disturbed",
                       "Collectives that waited for all of their devices until another one began, "
                       "and were simulated after all.",
                       disturbed_);
    statistics.declare("collectives_in_memory", "Collectives that are remembered at the end.",
                       static_cast<std::int64_t>(memo_.size()));
    packets_.declare_statistics(statistics);
}

NetworkUse Network::use() const
{
    const NetworkCounters counted = counters();
    NetworkUse use;
    use.on_chip_bytes = counted.on_chip_bytes;
    use.messages = counted.messages;
    use.message_hops = counted.message_hops;
    for (int axis = 0; axis < static_cast<int>(slice_.axes().size()); ++axis) {
        for (const int direction : {+1, -1}) {
            AxisUse along;
            along.axis = axis;
            along.direction = direction;
            for (int chip = 0; chip < slice_.chips(); ++chip) {
                if (!slice_.neighbour(chip, axis, direction)) {
                    continue;
                }
                const LinkUse& link = counted.links[packets_.link_number(chip, axis, direction)];
                ++along.links;
                along.bytes += link.bytes;
                along.busy += link.busy;
                if (link.busy > along.busiest) {
                    along.busiest = link.busy;
                    along.busiest_chip = chip;
                    along.busiest_bytes = link.bytes;
                }
            }
            use.links += along.links;
            use.link_bytes += along.bytes;
            use.link_busy += along.busy;
            if (along.links > 0) {
                use.axes.push_back(along);
            }
        }
    }
    return use;
}

} // namespace alxsim::sim
