// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/kernel_time.h"
#include "sim/packet_network.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// What the tests of the packet network share: a network alone in a simulation of its own.
namespace alxsim::sim {

/// A fresh SystemC context while it lives; the one before is put back after.
class FreshContext {
public:
    FreshContext()
        : previous_(sc_core::sc_curr_simcontext),
          fresh_(std::make_unique<sc_core::sc_simcontext>())
    {
        sc_core::sc_curr_simcontext = fresh_.get();
    }
    ~FreshContext() { sc_core::sc_curr_simcontext = previous_; }
    FreshContext(const FreshContext&) = delete;
    FreshContext& operator=(const FreshContext&) = delete;

private:
    sc_core::sc_simcontext* previous_;
    std::unique_ptr<sc_core::sc_simcontext> fresh_;
};

inline topologies::Slice line(int chips)
{
    return {{{chips, false}}, 1, false};
}
inline topologies::Slice ring(int chips)
{
    return {{{chips, true}}, 1, false};
}
inline topologies::Slice torus(int rows, int columns)
{
    return {{{rows, true}, {columns, true}}, 1, false};
}

/// Links of a byte per nanosecond, hops of a microsecond: times that one can work out by hand. A
/// full packet takes 4096 ns.
inline PacketNetworkSpec easy_links()
{
    PacketNetworkSpec spec;
    spec.link_bytes_per_second = 1e9;
    spec.hop_latency = Picoseconds(1'000'000);
    return spec;
}

/// What published v5e links do, roughly: 45 GB/s each way, hops of a microsecond.
inline PacketNetworkSpec fast_links()
{
    PacketNetworkSpec spec;
    spec.link_bytes_per_second = 45e9;
    spec.hop_latency = Picoseconds(1'000'000);
    return spec;
}

inline Picoseconds nanoseconds_of(std::int64_t count)
{
    return Picoseconds(count * 1000);
}

class PacketTraffic : private MessageReceiver {
public:
    PacketTraffic(topologies::Slice slice, const PacketNetworkSpec& spec)
        : slice_(std::move(slice)),
          network_("network", slice_, spec)
    {
        network_.set_receiver(*this);
    }

    /// Sends now, as a stream of its own; returns the message's number in `arrivals`.
    std::size_t send(int source, int destination, std::int64_t bytes)
    {
        return send(source, destination, bytes, arrivals_.size() + own_stream);
    }
    /// The same in `stream`, of which messages go one after another.
    std::size_t send(int source, int destination, std::int64_t bytes, std::uint64_t stream)
    {
        const std::size_t number = arrivals_.size();
        arrivals_.emplace_back();
        network_.send(source, destination, Bytes(bytes), stream, {0, number}, now());
        return number;
    }
    /// What to do when a message arrives, by its number.
    void on_arrival(std::function<void(std::size_t)> then) { then_ = std::move(then); }

    /// Until nothing is left to happen.
    Picoseconds run()
    {
        sc_core::sc_start();
        return last_arrival_;
    }
    void run_for(Picoseconds time) { sc_core::sc_start(to_sc_time(time)); }

    /// Every message's arrivals: one, if all is well.
    const std::vector<std::vector<Picoseconds>>& arrivals() const { return arrivals_; }
    PacketNetwork& network() { return network_; }
    const topologies::Slice& slice() const { return slice_; }

private:
    static constexpr std::uint64_t own_stream = std::uint64_t{1} << 32;

    void received(const std::vector<MessageTag>& messages) override
    {
        for (const MessageTag& message : messages) {
            arrivals_[message.rank].push_back(now());
            last_arrival_ = now();
            if (then_) {
                then_(message.rank);
            }
        }
    }

    FreshContext context_;
    topologies::Slice slice_;
    PacketNetwork network_;
    std::vector<std::vector<Picoseconds>> arrivals_;
    Picoseconds last_arrival_{0};
    std::function<void(std::size_t)> then_;
};

/// When a single message arrives.
inline Picoseconds alone(const topologies::Slice& slice, const PacketNetworkSpec& spec, int source,
                         int destination, std::int64_t bytes)
{
    PacketTraffic traffic(slice, spec);
    traffic.send(source, destination, bytes);
    return traffic.run();
}

} // namespace alxsim::sim
