// SPDX-License-Identifier: Apache-2.0
#include "sim/packet_network.h"

#include "sim/kernel_time.h"

namespace alxsim::sim {

PacketNetwork::PacketNetwork(const sc_core::sc_module_name& name, const topologies::Slice& slice,
                             const PacketNetworkSpec& spec)
    : sc_core::sc_module(name),
      engine_(slice, spec),
      axes_(static_cast<int>(slice.axes().size()))
{
    SC_HAS_PROCESS(PacketNetwork);
    SC_METHOD(run);
    sensitive << next_;
    dont_initialize();
    process_.is_last_created();
}

void PacketNetwork::set_observer(Observer* observer)
{
    observer_ = observer;
    engine_.set_observer(observer == nullptr ? nullptr : this);
}

void PacketNetwork::send(int source_chip, int destination_chip, Bytes bytes, std::uint64_t stream,
                         MessageTag tag, Picoseconds time)
{
    const bool asleep = !engine_.awake();
    engine_.send(source_chip, destination_chip, bytes, stream, tag, time);
    if (asleep && time == now()) {
        next_.notify(sc_core::SC_ZERO_TIME);
    }
}

void PacketNetwork::go_on()
{
    if (engine_.waits()) {
        notify_at(next_, engine_.next());
    }
}

void PacketNetwork::run()
{
    if (send_first_) {
        send_first_();
    }
    engine_.run(now());
    go_on();
}

void PacketNetwork::carried(std::size_t link, Picoseconds start, const LinkUse& sent)
{
    const auto number = static_cast<int>(link);
    LinkTransfer transfer;
    transfer.chip = number / (2 * axes_);
    transfer.axis = number / 2 % axes_;
    transfer.direction = number % 2 == 0 ? +1 : -1;
    transfer.start = start;
    transfer.finish = start + sent.busy;
    transfer.busy = sent.busy;
    transfer.bytes = sent.bytes;
    transfer.packets = sent.packets;
    observer_->link_carried(transfer);
}

void PacketNetwork::declare_statistics(Statistics& statistics) const
{
    statistics.declare("packet_hops",
                       "Packets that were put on links one by one or in trains; those of what went "
                       "again as before are not among them.",
                       use().packet_hops);
}

} // namespace alxsim::sim
