// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/message_bound.h"

#include "base/input_error.h"
#include "model/collectives/hop_distance.h"

#include <algorithm>
#include <cstdlib>

namespace alxsim::model {
namespace {

/// Adds up what messages do to chips and cuts. What an ICI link carries is the unit throughout: a
/// link of another rate counts as so many.
class MessageLoad {
public:
    MessageLoad(const CollectiveGroup& group, const topologies::Machine& machine)
        : group_(group),
          torus_(group.torus_axes()),
          machine_(machine),
          distance_(machine.slice),
          groups_(groups_of_chips(group, machine.slice)),
          out_(groups_.size()),
          in_(groups_.size()),
          on_chip_(static_cast<std::size_t>(machine.devices))
    {
        for (int index : torus_) {
            const auto along = static_cast<std::size_t>(group.axis(index).torus_axis);
            weights_.push_back(machine.network.nominal_links(machine.slice.axes()[along]));
        }
        for (int chip = 0; chip < machine.slice.chips(); ++chip) {
            coordinates_.push_back(machine.slice.coordinates(chip));
        }
        for (int index : group.torus_axes()) {
            const NetworkAxis& axis = group.axis(index);
            crossing_.emplace_back(groups_.size() / static_cast<std::size_t>(group.chips) * 2 *
                                   static_cast<std::size_t>(axis.length));
        }
    }

    void add(const PairMessage& message)
    {
        const int from = message.source / machine_.devices_per_chip;
        const int to = message.destination / machine_.devices_per_chip;
        const double bytes = static_cast<double>(message.bytes.count());
        if (message.source == message.destination) {
            return;
        }
        if (from == to) {
            on_chip_[static_cast<std::size_t>(message.source)] += bytes;
            return;
        }
        const int hops = distance_.between(from, to);
        longest_ = std::max(longest_, wire_seconds(from, to, hops));
        byte_hops_ += bytes * hops;
        out_[static_cast<std::size_t>(from)] += bytes;
        in_[static_cast<std::size_t>(to)] += bytes;
        // A twisted torus has no cut with as few links as its average says.
        if (!machine_.slice.twisted()) {
            cross(from, to, bytes);
        }
    }

    double busiest_link_bytes() const
    {
        double most = 0;
        double links = 0;
        for (std::size_t chip = 0; chip < out_.size(); ++chip) {
            const double of_chip = links_of(chip);
            links += of_chip;
            most = of_chip > 0 ? std::max(most, std::max(out_[chip], in_[chip]) / of_chip) : most;
        }
        most = links > 0 ? std::max(most, byte_hops_ / links) : most;
        for (std::size_t i = 0; i < torus_.size(); ++i) {
            const NetworkAxis& axis = group_.axis(torus_[i]);
            const double cut = (axis.wraps ? 2.0 : 1.0) * group_.chips / axis.length * weights_[i];
            for (double bytes : crossing_[i]) {
                most = std::max(most, bytes / cut);
            }
        }
        return most;
    }

    double busiest_path_bytes() const
    {
        // In a row of more than two devices the inner ones send either way.
        return *std::max_element(on_chip_.begin(), on_chip_.end()) /
               (machine_.devices_per_chip > 2 ? 2 : 1);
    }

    double longest_way() const { return longest_; } ///< seconds on wires

private:
    double links_of(std::size_t chip) const
    {
        double links = 0;
        for (std::size_t i = 0; i < torus_.size(); ++i) {
            const NetworkAxis& axis = group_.axis(torus_[i]);
            const int position = coordinates_[chip][static_cast<std::size_t>(axis.torus_axis)];
            const bool at_end = !axis.wraps && (position == 0 || position == axis.length - 1);
            links += (at_end ? 1 : 2) * weights_[i];
        }
        return links;
    }

    double wire_seconds(int from, int to, int hops) const
    {
        const topologies::NetworkSpec& network = machine_.network;
        double between_slices = 0;
        if (const std::optional<int> axis = machine_.slice.dcn_axis()) {
            const auto along = static_cast<std::size_t>(*axis);
            const topologies::Axis& dcn = machine_.slice.axes()[along];
            const int direct = std::abs(coordinates_[static_cast<std::size_t>(from)][along] -
                                        coordinates_[static_cast<std::size_t>(to)][along]);
            const int passed = dcn.wraps ? std::min(direct, dcn.length - direct) : direct;
            between_slices = network.hop_latency_of(dcn).count() * passed;
            hops -= passed;
        }
        return network.hop_latency.count() * hops + between_slices;
    }

    /// Counts a message out of, or into, the half of each axis that begins at each position.
    void cross(int from, int to, double bytes)
    {
        for (std::size_t i = 0; i < torus_.size(); ++i) {
            const NetworkAxis& axis = group_.axis(torus_[i]);
            const auto along = static_cast<std::size_t>(axis.torus_axis);
            const int here = coordinates_[static_cast<std::size_t>(from)][along];
            const int there = coordinates_[static_cast<std::size_t>(to)][along];
            const int group = groups_[static_cast<std::size_t>(from)];
            for (int start = 0; start < axis.length; ++start) {
                const bool leaves = inside(axis, start, here);
                if (leaves != inside(axis, start, there)) {
                    crossing_[i][static_cast<std::size_t>((group * axis.length + start) * 2 +
                                                          (leaves ? 1 : 0))] += bytes;
                }
            }
        }
    }

    static bool inside(const NetworkAxis& axis, int start, int position)
    {
        return axis.wraps ? (position - start + axis.length) % axis.length < axis.length / 2
                          : position <= start;
    }

    const CollectiveGroup& group_;
    std::vector<int> torus_;      ///< its torus axes
    std::vector<double> weights_; ///< of their links
    const topologies::Machine& machine_;
    HopDistance distance_;
    std::vector<int> groups_;                   ///< [chip]
    std::vector<double> out_, in_;              ///< [chip]
    std::vector<double> on_chip_;               ///< [device]
    std::vector<std::vector<int>> coordinates_; ///< [chip]
    std::vector<std::vector<double>> crossing_; ///< [torus axis of the group][group][cut][way]
    double byte_hops_ = 0;
    double longest_ = 0;
};

} // namespace

void check_devices(const std::vector<PairMessage>& messages, const topologies::Machine& machine)
{
    for (std::size_t i = 0; i < messages.size(); ++i) {
        for (const int device : {messages[i].source, messages[i].destination}) {
            if (device < 0 || device >= machine.devices) {
                throw InputError(
                    "", "collective/messages/" + std::to_string(i),
                    "found device " + std::to_string(device) + "; allowed: 0" +
                        (machine.devices > 1 ? " to " + std::to_string(machine.devices - 1) : ""));
            }
        }
    }
}

Seconds message_bound(const std::vector<PairMessage>& messages, const CollectiveGroup& group,
                      const topologies::Machine& machine)
{
    check_devices(messages, machine);
    MessageLoad load(group, machine);
    for (const PairMessage& message : messages) {
        load.add(message);
    }
    const topologies::NetworkSpec& network = machine.network;
    double seconds =
        std::max(load.busiest_link_bytes() / network.link_bytes_per_second, load.longest_way());
    if (load.longest_way() > 0) {
        seconds += network.message_latency.count();
    }
    if (machine.devices_per_chip > 1) {
        seconds = std::max(seconds, load.busiest_path_bytes() / network.on_chip_bytes_per_second);
    }
    return Seconds(seconds);
}

} // namespace alxsim::model
