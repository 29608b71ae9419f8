// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/packets/packet_engine.h"
#include "sim/observe/observer.h"
#include "sim/observe/statistics.h"
#include "sim/own_process.h"

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

namespace alxsim::sim {

using model::LinkUse;
using model::MessageReceiver;
using model::MessageTag;
using model::PacketNetworkSpec;
using model::PacketNetworkUse;

/// The links and routers of a slice in simulated time.
class PacketNetwork : public sc_core::sc_module,
                      public StatisticsSource,
                      private model::PacketObserver {
public:
    PacketNetwork(const sc_core::sc_module_name& name, const topologies::Slice& slice,
                  const PacketNetworkSpec& spec);

    void set_receiver(MessageReceiver& receiver) { engine_.set_receiver(receiver); }
    /// `send_first` sends what is to be sent at a moment, and is called before all else that
    /// happens then. Otherwise links would go to whoever the simulation kernel wakes first.
    void set_send_first(std::function<void()> send_first) { send_first_ = std::move(send_first); }
    /// Is told what links carry; or null.
    void set_observer(Observer* observer);
    void declare_statistics(Statistics& statistics) const override;

    /// Starts a message now, or while it catches up at `time`: see PacketEngine::send().
    void send(int source_chip, int destination_chip, Bytes bytes, std::uint64_t stream,
              MessageTag tag, Picoseconds time);

    /// Catching up with what began in the past: when it is to run next, and that it runs then.
    bool waits() const { return engine_.waits(); }
    Picoseconds next() const { return engine_.next(); }
    void run_at(Picoseconds time) { engine_.run(time); }
    /// It has caught up.
    void go_on();

    /// Nothing is under way and nothing is left to happen.
    bool idle() const { return engine_.idle(); }
    std::int64_t encounters() const { return engine_.encounters(); }
    const PacketNetworkUse& use() const { return engine_.use(); }
    /// The link that leaves `chip` along `axis` (all zero where a line ends).
    const LinkUse& link_use(int chip, int axis, int direction) const
    {
        return engine_.link_uses()[engine_.link_number(chip, axis, direction)];
    }
    /// Returns those of all links, by link_number; the ends of lines have numbers too.
    const std::vector<LinkUse>& link_uses() const { return engine_.link_uses(); }
    std::size_t link_number(int chip, int axis, int direction) const
    {
        return engine_.link_number(chip, axis, direction);
    }
    int hops(int source, int destination) const { return engine_.hops(source, destination); }
    Bytes buffer_bytes() const { return engine_.buffer_bytes(); }
    /// Messages under way. If there are any when nothing is left to happen, they are deadlocked.
    std::int64_t undelivered() const { return engine_.undelivered(); }

private:
    void run();
    void carried(std::size_t link, Picoseconds start, const LinkUse& sent) override;

    model::PacketEngine engine_;
    int axes_;
    Observer* observer_ = nullptr;
    std::function<void()> send_first_;
    sc_core::sc_event next_;
    OwnProcess process_;
};

} // namespace alxsim::sim
