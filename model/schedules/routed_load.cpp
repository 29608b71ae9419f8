// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/routed_load.h"

#include "model/packets/packet_turns.h"
#include "topologies/routing.h"

#include <algorithm>
#include <cstdlib>

namespace alxsim::model {
namespace {

using topologies::Machine;

/// Adds up bytes on every link and every path between neighbours of a chip.
class RouteLoads {
public:
    explicit RouteLoads(const Machine& machine)
        : machine_(machine),
          routing_(machine.slice, machine.faults),
          axes_(static_cast<int>(machine.slice.axes().size())),
          ends_(static_cast<std::size_t>(machine.slice.chips() * axes_ * 2), -1),
          bytes_(ends_.size()),
          paths_(static_cast<std::size_t>(machine.devices) * 2)
    {
        for (int chip = 0; chip < machine.slice.chips(); ++chip) {
            for (int axis = 0; axis < axes_; ++axis) {
                for (const int direction : {1, -1}) {
                    ends_[link(chip, axis, direction)] =
                        machine.slice.neighbour(chip, axis, direction).value_or(-1);
                }
            }
        }
    }

    void add(const PairMessage& message)
    {
        if (stays_on_its_chip(message)) {
            add_on_chip(message);
            return;
        }
        int hops = 0;
        Picoseconds wires(0);
        for_links(message, [&](std::size_t passed) {
            bytes_[passed] += message.bytes.count();
            wires += hop_time(passed);
            ++hops;
        });
        link_bytes_ += message.bytes * hops;
        hops_ += hops;
        longest_ = std::max(longest_, wires + machine_.network.message_time());
    }

    /// Returns the share of one of the messages added, a byte each.
    RouteShare share(const PairMessage& message) const
    {
        const topologies::NetworkSpec& network = machine_.network;
        if (stays_on_its_chip(message)) {
            const int step = message.destination > message.source ? 1 : -1;
            std::int64_t most = 1;
            for (int device = message.source; device != message.destination; device += step) {
                most = std::max(most, paths_[path(device, step)]);
            }
            return {0, network.on_chip_bytes_per_second / static_cast<double>(most),
                    to_picoseconds(network.on_chip_latency)};
        }
        RouteShare share;
        double slowest = 0;
        for_links(message, [&](std::size_t passed) {
            slowest = std::max(slowest, static_cast<double>(bytes_[passed]) / rate(passed));
            share.latency += hop_time(passed);
            ++share.hops;
        });
        share.bytes_per_second = 1 / slowest;
        share.latency += network.message_time();
        return share;
    }

    /// Times a message that has its way for itself: the slowest link sends it packet by packet.
    Picoseconds alone(const PairMessage& message) const
    {
        const topologies::NetworkSpec& network = machine_.network;
        if (stays_on_its_chip(message)) {
            return in_packets(message.bytes, network.on_chip_bytes_per_second) +
                   to_picoseconds(network.on_chip_latency);
        }
        Picoseconds slowest(0);
        Picoseconds latency = network.message_time();
        for_links(message, [&](std::size_t passed) {
            slowest = std::max(slowest, in_packets(message.bytes, rate(passed)));
            latency += hop_time(passed);
        });
        return slowest + latency;
    }

    /// What all messages added pass: links, then paths on chips.
    std::vector<std::size_t> ways() const
    {
        std::vector<std::size_t> passed;
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            if (bytes_[i] > 0) {
                passed.push_back(i);
            }
        }
        for (std::size_t i = 0; i < paths_.size(); ++i) {
            if (paths_[i] > 0) {
                passed.push_back(bytes_.size() + i);
            }
        }
        return passed;
    }

    RoutedLoad result() const
    {
        const topologies::NetworkSpec& network = machine_.network;
        RoutedLoad load;
        load.link_bytes = link_bytes_;
        load.hops = hops_;
        load.busiest = to_picoseconds(Seconds(busiest_link()));
        load.longest = longest_;
        load.time = load.busiest + load.longest;
        if (most_places_ > 0) {
            const double path =
                static_cast<double>(*std::max_element(paths_.begin(), paths_.end())) /
                network.on_chip_bytes_per_second;
            load.time =
                std::max(load.time, to_picoseconds(Seconds(path)) +
                                        to_picoseconds(network.on_chip_latency) * most_places_);
        }
        return load;
    }

private:
    Picoseconds in_packets(Bytes bytes, double bytes_per_second) const
    {
        const std::int64_t packet = machine_.network.packet.count();
        const std::int64_t full = std::max<std::int64_t>(0, (bytes.count() - 1) / packet);
        return repeated(sending_time(packet, bytes_per_second), full) +
               sending_time(bytes.count() - full * packet, bytes_per_second);
    }

    std::size_t link(int chip, int axis, int direction) const
    {
        return static_cast<std::size_t>((chip * axes_ + axis) * 2 + (direction > 0 ? 0 : 1));
    }

    static std::size_t path(int device, int step)
    {
        return static_cast<std::size_t>(device * 2 + (step > 0 ? 0 : 1));
    }

    bool stays_on_its_chip(const PairMessage& message) const
    {
        return message.source / machine_.devices_per_chip ==
               message.destination / machine_.devices_per_chip;
    }

    template <class Visit>
    void for_links(const PairMessage& message, Visit visit) const
    {
        int chip = message.source / machine_.devices_per_chip;
        const int last = message.destination / machine_.devices_per_chip;
        while (chip != last) {
            const topologies::Hop hop = routing_.next(chip, last);
            const std::size_t passed = link(chip, hop.axis, hop.direction);
            visit(passed);
            chip = ends_[passed];
        }
    }

    const topologies::Axis& axis_of(std::size_t passed) const
    {
        return machine_.slice.axes()[passed / 2 % static_cast<std::size_t>(axes_)];
    }

    /// Bytes per second of a link with nothing broken.
    double rate(std::size_t passed) const
    {
        return machine_.network.usable_bytes_per_second(axis_of(passed));
    }

    Picoseconds hop_time(std::size_t passed) const
    {
        return machine_.network.hop_time(axis_of(passed));
    }

    void add_on_chip(const PairMessage& message)
    {
        const int step = message.destination > message.source ? 1 : -1;
        for (int device = message.source; device != message.destination; device += step) {
            paths_[path(device, step)] += message.bytes.count();
        }
        most_places_ = std::max(most_places_, std::abs(message.destination - message.source));
    }

    /// Seconds
    double busiest_link() const
    {
        std::vector<double> share(bytes_.size(), 1.0);
        for (const topologies::LinkFault& fault : machine_.faults.links) {
            const std::size_t upwards = link(fault.chip, fault.axis, 1);
            share[upwards] = fault.bandwidth;
            share[link(ends_[upwards], fault.axis, -1)] = fault.bandwidth;
        }
        double most = 0;
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            if (bytes_[i] > 0) {
                most = std::max(most, static_cast<double>(bytes_[i]) / (rate(i) * share[i]));
            }
        }
        return most;
    }

    const Machine& machine_;
    topologies::DimensionOrder routing_;
    int axes_;
    std::vector<int> ends_;           ///< [chip][axis][direction]: the chip there, or -1
    std::vector<std::int64_t> bytes_; ///< likewise
    std::vector<std::int64_t> paths_; ///< [device][direction]
    Bytes link_bytes_{0};
    std::int64_t hops_ = 0;
    Picoseconds longest_{0}; ///< way of a message
    int most_places_ = 0;    ///< along a chip's path
};

} // namespace

RoutedLoad load_of(const std::vector<PairMessage>& messages, const Machine& machine)
{
    return load_of(messages, {}, machine);
}

RoutedLoad load_of(const std::vector<PairMessage>& messages, const MessageOrder& after,
                   const Machine& machine)
{
    RouteLoads loads(machine);
    std::vector<Picoseconds> times;
    for (const PairMessage& message : messages) {
        loads.add(message);
        times.push_back(after.empty() ? Picoseconds(0) : loads.alone(message));
    }
    RoutedLoad load = loads.result();
    if (!after.empty()) {
        load.time = std::max(longest_chain(after, times), load.busiest);
    }
    return load;
}

std::vector<std::size_t> ways_of(const std::vector<PairMessage>& messages, const Machine& machine)
{
    RouteLoads loads(machine);
    for (const PairMessage& message : messages) {
        loads.add({message.source, message.destination, Bytes(1)});
    }
    return loads.ways();
}

std::vector<RouteShare> shares_of(const std::vector<PairMessage>& messages, const Machine& machine)
{
    RouteLoads loads(machine);
    for (const PairMessage& message : messages) {
        loads.add({message.source, message.destination, Bytes(1)});
    }
    std::vector<RouteShare> shares;
    shares.reserve(messages.size());
    for (const PairMessage& message : messages) {
        shares.push_back(loads.share(message));
    }
    return shares;
}

} // namespace alxsim::model
