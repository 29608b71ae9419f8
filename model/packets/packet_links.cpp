// SPDX-License-Identifier: Apache-2.0
// The links of PacketEngine: which there are, how fast they are and what their buffers hold.
#include "model/packets/packet_engine.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace alxsim::model {

namespace {

/// For each buffer, of those whose room is on its way back.
constexpr int most_packets_remembered = 64;

double slowest_fraction(const PacketNetworkSpec& spec)
{
    double slowest = 1;
    for (const SlowLink& slow : spec.slow_links) {
        slowest = std::min(slowest, slow.fraction);
    }
    return slowest;
}

void check(const PacketNetworkSpec& spec)
{
    const auto reject = [](const std::string& problem) {
        throw std::invalid_argument("packet network: " + problem);
    };
    const PacketNetworkSpec::SliceLinks between = spec.between_slices.value_or(
        PacketNetworkSpec::SliceLinks{spec.link_bytes_per_second, spec.hop_latency});
    if (!(spec.link_bytes_per_second > 0) || !(between.bytes_per_second > 0) ||
        !(slowest_fraction(spec) > 0)) {
        reject("a link without bandwidth");
    }
    if (std::min(spec.hop_latency, between.hop_latency) < Picoseconds(0)) {
        reject("a negative hop latency");
    }
    if (spec.packet_bytes < Bytes(1) || spec.packet_bytes >= Bytes(1 << 30)) {
        reject("packets of " + std::to_string(spec.packet_bytes.count()) + " bytes");
    }
    if (spec.buffer_bytes && *spec.buffer_bytes < spec.packet_bytes) {
        reject("a buffer of " + std::to_string(spec.buffer_bytes->count()) +
               " bytes does not hold a packet of " + std::to_string(spec.packet_bytes.count()));
    }
}

/// How far most events lie ahead: a packet on the slowest link of a slice, and a hop.
Picoseconds horizon(const PacketNetworkSpec& spec)
{
    check(spec);
    const double slowest = spec.link_bytes_per_second * slowest_fraction(spec);
    return sending_time(spec.packet_bytes.count(), slowest) + spec.hop_latency +
           spec.message_latency;
}

} // namespace

PacketEngine::PacketEngine(const topologies::Slice& slice, const PacketNetworkSpec& spec)
    : routing_(slice, spec.faults),
      chips_(slice.chips()),
      axes_(static_cast<int>(slice.axes().size())),
      message_latency_(spec.message_latency),
      packet_bytes_(static_cast<std::int32_t>(spec.packet_bytes.count())),
      buffer_bytes_(0),
      much_room_(0),
      channels_(spec.dateline ? 2 : 1),
      injection_queues_(slice.chips() * axes_ * 2 * channels_),
      calendar_(horizon(spec))
{
    buffer_bytes_ = spec.buffer_bytes.value_or(full_rate_buffer(spec)).count();
    much_room_ = buffer_bytes_ - std::int64_t{packet_bytes_} * most_packets_remembered;
    for (int chip = 0; chip < chips_; ++chip) {
        for (int axis = 0; axis < axes_; ++axis) {
            add_link(slice, chip, axis, +1);
            add_link(slice, chip, axis, -1);
        }
    }
    own_.resize(links_.size());
    link_use_.resize(links_.size());
    waiting_.resize(links_.size(), static_cast<std::size_t>(2 * axes_ * channels_) + 1);
    queues_.resize(static_cast<std::size_t>(injection_queues_) + links_.size());
    set_rates(slice, spec);
    set_buffers(slice, spec);
}

void PacketEngine::set_rates(const topologies::Slice& slice, const PacketNetworkSpec& spec)
{
    for (Link& link : links_) {
        const topologies::Axis& axis = slice.axes()[static_cast<std::size_t>(link.axis)];
        link.latency = spec.hop_latency;
        link.bytes_per_second =
            axis.wraps ? spec.link_bytes_per_second
                       : spec.line_bytes_per_second.value_or(spec.link_bytes_per_second);
        if (spec.between_slices && axis.links == topologies::AxisLinks::dcn) {
            link.latency = spec.between_slices->hop_latency;
            link.bytes_per_second = spec.between_slices->bytes_per_second;
        }
    }
    for (const SlowLink& slow : spec.slow_links) {
        if (!slice.neighbour(slow.chip, slow.axis, slow.direction)) {
            throw std::invalid_argument("packet network: no link to slow down");
        }
        at(links_, link_index(slow.chip, slow.axis, slow.direction)).bytes_per_second *=
            slow.fraction;
    }
    for (Link& link : links_) {
        link.packet_time = sending_time(packet_bytes_, link.bytes_per_second);
    }
}

void PacketEngine::set_buffers(const topologies::Slice& slice, const PacketNetworkSpec& spec)
{
    for (Index number = 0; number < static_cast<Index>(links_.size()); ++number) {
        Link& link = at(links_, number);
        const std::int64_t enough =
            full_rate_buffer(link.latency, link.packet_time, packet_bytes_).count();
        const bool within =
            slice.axes()[static_cast<std::size_t>(link.axis)].links == topologies::AxisLinks::ici;
        const std::int64_t room = within ? buffer_bytes_ : enough;
        link.takes_trains = spec.trains && room >= enough;
        for (int channel = 0; channel < channels_; ++channel) {
            at(queues_, far_buffer(number, channel)).room = room;
        }
    }
}

void PacketEngine::add_link(const topologies::Slice& slice, int chip, int axis, int direction)
{
    Link link;
    link.axis = static_cast<std::int8_t>(axis);
    if (const auto far = slice.neighbour(chip, axis, direction)) {
        const auto which = static_cast<std::size_t>(axis);
        link.far_chip = *far;
        link.far_links = link_index(*far, 0, +1);
        const int next = slice.coordinates(chip)[which] + direction;
        const bool wraps = slice.coordinates(*far)[which] != next;
        link.entered_channel = static_cast<std::int8_t>(wraps ? channels_ - 1 : 0);
    }
    links_.push_back(link);
}

} // namespace alxsim::model
