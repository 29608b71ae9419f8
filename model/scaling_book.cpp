// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "model/collectives/collective.h"
#include "model/collectives/collective_group.h"
#include "model/collectives/mesh.h"

#include <algorithm>

namespace alxsim::model {

bool scaling_book_covers(const Collective& asked, const topologies::Machine& machine)
{
    const Collective collective = on_network(asked, machine);
    if (collective.ranks) {
        return false;
    }
    const CollectiveGroup group = group_of(collective, machine);
    return collective.kind != CollectiveKind::permute &&
           collective.kind != CollectiveKind::broadcast &&
           collective.kind != CollectiveKind::reduce && !collective.messages &&
           !machine.slice.twisted() && machine.slice.slices() == 1 && group.chips > 1 &&
           group.wraps() && group.devices_on_a_chip() == machine.devices_per_chip;
}

Seconds scaling_book_time(const Collective& collective, const topologies::Machine& machine)
{
    if (!scaling_book_covers(collective, machine)) {
        throw InputError("the scaling book has an estimate for all_gather, reduce_scatter, "
                         "all_reduce and equal all_to_all on axes that wrap and are not twisted; "
                         "found " +
                         machine.slice.words());
    }
    const CollectiveGroup group = group_of(on_network(collective, machine), machine);
    double lengths = 0;
    double longest = 0;
    for (int index : group.torus_axes()) {
        lengths += group.axis(index).length;
        longest = std::max(longest, static_cast<double>(group.axis(index).length));
    }
    const double bytes = static_cast<double>(collective.bytes.count());
    const double both_ways = 2 * machine.network.link_bytes_per_second;
    const double along_all = bytes / (both_ways * static_cast<double>(group.torus_axes().size()));
    double seconds = along_all;
    if (collective.kind == CollectiveKind::all_reduce) {
        seconds = 2 * along_all;
    } else if (collective.kind == CollectiveKind::all_to_all) {
        seconds = bytes * longest / (4 * both_ways);
    }
    return Seconds(std::max(seconds, machine.network.step_latency().count() * lengths / 2));
}

} // namespace alxsim::model
