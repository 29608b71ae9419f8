// SPDX-License-Identifier: Apache-2.0
#include "tests/device/packet_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace alxsim::sim {
namespace {

using topologies::Axis;
using topologies::Slice;

struct Sent {
    int source;
    int destination;
    std::int64_t bytes;
    Picoseconds at{0};
};

int pick(std::mt19937& engine, int low, int high)
{
    return std::uniform_int_distribution<int>(low, high)(engine);
}

/// One to three axes, wrapped or not, up to 64 chips.
Slice random_slice(std::mt19937& engine)
{
    std::vector<Axis> axes;
    int chips = 1;
    for (int axis = pick(engine, 1, 3); axis > 0; --axis) {
        const int length = pick(engine, 1, std::min(axis == 1 ? 64 : 8, 64 / chips));
        axes.push_back({length, pick(engine, 0, 1) == 1});
        chips *= length;
    }
    return {axes, 1, false};
}

PacketNetworkSpec random_spec(std::mt19937& engine)
{
    PacketNetworkSpec spec;
    spec.link_bytes_per_second = std::uniform_real_distribution<double>(1e9, 1e11)(engine);
    spec.hop_latency = Picoseconds(pick(engine, 0, 2'000'000));
    spec.packet_bytes = Bytes(pick(engine, 1, 4096));
    if (pick(engine, 0, 3) != 0) {
        const int packets = pick(engine, 0, 1) == 0 ? 1 : pick(engine, 1, 10);
        spec.buffer_bytes = Bytes(packets * spec.packet_bytes.count());
    }
    return spec;
}

/// To anyone, to one chip, or everybody as far along.
std::vector<Sent> random_messages(std::mt19937& engine, const Slice& slice,
                                  const PacketNetworkSpec& spec)
{
    const int chips = slice.chips();
    const int pattern = pick(engine, 0, 2);
    const int other = pick(engine, 0, chips - 1);
    std::vector<Sent> messages;
    for (int i = pick(engine, 1, 6 * chips); i > 0; --i) {
        Sent sent{};
        sent.source = pattern == 2 ? i % chips : pick(engine, 0, chips - 1);
        sent.destination = pattern == 0   ? pick(engine, 0, chips - 1)
                           : pattern == 1 ? other
                                          : (sent.source + other) % chips;
        const int packets = pick(engine, 0, 12);
        sent.bytes = pick(engine, 0, static_cast<int>(spec.packet_bytes.count()) * packets);
        messages.push_back(sent);
    }
    return messages;
}

/// Sends all of them, some later than others, and runs to the end.
Picoseconds deliver(PacketTraffic& traffic, std::vector<Sent>& messages, std::mt19937& engine)
{
    for (Sent& message : messages) {
        if (pick(engine, 0, 9) == 0) {
            traffic.run_for(Picoseconds(pick(engine, 0, 3'000'000)));
        }
        message.at = now();
        traffic.send(message.source, message.destination, message.bytes);
    }
    return traffic.run();
}

/// The time that the links out of a set of chips need for what leaves it.
double cut_seconds(const Slice& slice, const PacketNetworkSpec& spec,
                   const std::vector<bool>& inside, const std::vector<Sent>& messages)
{
    std::int64_t bytes = 0;
    for (const Sent& message : messages) {
        const bool leaves = inside[static_cast<std::size_t>(message.source)] &&
                            !inside[static_cast<std::size_t>(message.destination)];
        bytes += leaves ? message.bytes : 0;
    }
    int links = 0;
    for (int chip = 0; chip < slice.chips(); ++chip) {
        for (std::size_t axis = 0; axis < slice.axes().size(); ++axis) {
            for (const int direction : {+1, -1}) {
                const auto far = slice.neighbour(chip, static_cast<int>(axis), direction);
                links += far && inside[static_cast<std::size_t>(chip)] &&
                                 !inside[static_cast<std::size_t>(*far)]
                             ? 1
                             : 0;
            }
        }
    }
    return links == 0 ? 0 : static_cast<double>(bytes) / (links * spec.link_bytes_per_second);
}

/// The largest over all stretches of every axis, from both sides.
double cut_bound(const Slice& slice, const PacketNetworkSpec& spec,
                 const std::vector<Sent>& messages)
{
    double bound = 0;
    for (std::size_t axis = 0; axis < slice.axes().size(); ++axis) {
        const int length = slice.axes()[axis].length;
        for (int first = 0; first < length; ++first) {
            for (int last = first; last < length; ++last) {
                std::vector<bool> inside;
                std::vector<bool> outside;
                for (int chip = 0; chip < slice.chips(); ++chip) {
                    const int position = slice.coordinates(chip)[axis];
                    inside.push_back(position >= first && position <= last);
                    outside.push_back(!inside.back());
                }
                bound = std::max(bound, cut_seconds(slice, spec, inside, messages));
                bound = std::max(bound, cut_seconds(slice, spec, outside, messages));
            }
        }
    }
    return bound;
}

void expect_physics(PacketTraffic& traffic, const PacketNetworkSpec& spec,
                    const std::vector<Sent>& messages)
{
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Sent& sent = messages[i];
        ASSERT_EQ(traffic.arrivals()[i].size(), 1u);
        const int hops = traffic.network().hops(sent.source, sent.destination);
        const double wire =
            hops == 0 ? 0 : static_cast<double>(sent.bytes) / spec.link_bytes_per_second;
        EXPECT_GE(to_seconds(traffic.arrivals()[i][0] - sent.at).count(),
                  hops * to_seconds(spec.hop_latency).count() + wire - 1e-12);
    }
}

/// Bytes on links are bytes sent times the hops they had to make.
Bytes expected_on_links(PacketTraffic& traffic, const std::vector<Sent>& messages)
{
    Bytes sum(0);
    for (const Sent& sent : messages) {
        sum += Bytes(sent.bytes) * traffic.network().hops(sent.source, sent.destination);
    }
    return sum;
}

Bytes on_links(PacketTraffic& traffic)
{
    Bytes sum(0);
    for (int chip = 0; chip < traffic.slice().chips(); ++chip) {
        for (std::size_t axis = 0; axis < traffic.slice().axes().size(); ++axis) {
            for (const int direction : {+1, -1}) {
                sum += traffic.network().link_use(chip, static_cast<int>(axis), direction).bytes;
            }
        }
    }
    return sum;
}

TEST(PacketNetwork, LosesAndDuplicatesNothingAndBeatsNoCut)
{
    std::mt19937 engine(31);
    for (int i = 0; i < 300; ++i) {
        const Slice slice = random_slice(engine);
        const PacketNetworkSpec spec = random_spec(engine);
        SCOPED_TRACE("case " + std::to_string(i) + ", " + slice.shape());
        PacketTraffic traffic(slice, spec);
        std::vector<Sent> messages = random_messages(engine, slice, spec);
        const Picoseconds end = deliver(traffic, messages, engine);
        ASSERT_EQ(traffic.network().undelivered(), 0);
        const PacketNetworkUse& use = traffic.network().use();
        EXPECT_EQ(use.bytes_delivered, use.bytes_sent);
        EXPECT_EQ(on_links(traffic), expected_on_links(traffic, messages));
        expect_physics(traffic, spec, messages);
        EXPECT_GE(to_seconds(end).count(), cut_bound(slice, spec, messages) - 1e-12);
    }
}

TEST(PacketNetwork, DoesNotDeadlockUnderPressureAtTheSmallestBuffers)
{
    std::mt19937 engine(32);
    for (int i = 0; i < 60; ++i) {
        PacketNetworkSpec spec = easy_links();
        spec.buffer_bytes = spec.packet_bytes;
        PacketTraffic traffic(random_slice(engine), spec);
        const int chips = traffic.slice().chips();
        for (int message = 0; message < 20 * chips; ++message) {
            traffic.send(message % chips, pick(engine, 0, chips - 1), 3 * 4096);
        }
        traffic.run();
        EXPECT_EQ(traffic.network().undelivered(), 0) << traffic.slice().shape();
    }
}

/// Neighbours and others, some in streams, some later than others and at odd times.
std::vector<std::vector<Picoseconds>> arrivals_with(bool trains, unsigned seed)
{
    std::mt19937 engine(seed);
    const Slice slice = random_slice(engine);
    PacketNetworkSpec spec = random_spec(engine);
    spec.message_latency = Picoseconds(pick(engine, 0, 1) * 300'000);
    spec.trains = trains;
    PacketTraffic traffic(slice, spec);
    const int far_share = pick(engine, 0, 4);
    for (int i = pick(engine, 1, 8 * slice.chips()); i > 0; --i) {
        if (pick(engine, 0, 5) == 0) {
            traffic.run_for(Picoseconds(pick(engine, 0, 1'000'000)));
        }
        const int source = pick(engine, 0, slice.chips() - 1);
        const int axis = pick(engine, 0, static_cast<int>(slice.axes().size()) - 1);
        const auto near = slice.neighbour(source, axis, pick(engine, 0, 1) == 0 ? -1 : +1);
        const bool far = !near || pick(engine, 0, 9) < far_share;
        const int destination = far ? pick(engine, 0, slice.chips() - 1) : *near;
        const int bytes = pick(engine, 0, static_cast<int>(spec.packet_bytes.count()) * 30);
        traffic.send(source, destination, bytes, static_cast<std::uint64_t>(pick(engine, 0, 2)));
    }
    traffic.run();
    return traffic.arrivals();
}

TEST(PacketNetwork, TrainsKeepTheTimesOfPacketByPacket)
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        ASSERT_EQ(arrivals_with(true, seed), arrivals_with(false, seed)) << "seed " << seed;
    }
}

TEST(PacketNetwork, TakesTheSameTimeEveryTime)
{
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::vector<std::vector<Picoseconds>> arrivals[2];
        for (auto& run : arrivals) {
            std::mt19937 engine(seed);
            const Slice slice = random_slice(engine);
            const PacketNetworkSpec spec = random_spec(engine);
            PacketTraffic traffic(slice, spec);
            std::vector<Sent> messages = random_messages(engine, slice, spec);
            deliver(traffic, messages, engine);
            run = traffic.arrivals();
        }
        EXPECT_EQ(arrivals[0], arrivals[1]);
    }
}

} // namespace
} // namespace alxsim::sim
