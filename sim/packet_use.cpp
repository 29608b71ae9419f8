// SPDX-License-Identifier: Apache-2.0
// What PacketNetwork tells of what it has done.
#include "sim/packet_network.h"

namespace alxsim::sim {

const LinkUse& PacketNetwork::link_use(int chip, int axis, int direction) const
{
    return link_use_[static_cast<std::size_t>(link_index(chip, axis, direction))];
}

void PacketNetwork::tell_observer(Index link, Picoseconds start, const LinkUse& sent) const
{
    LinkTransfer transfer;
    transfer.chip = link / (2 * axes_);
    transfer.axis = at(links_, link).axis;
    transfer.direction = link % 2 == 0 ? +1 : -1;
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
                       use_.packet_hops);
}

} // namespace alxsim::sim
