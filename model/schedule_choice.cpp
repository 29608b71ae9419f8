// SPDX-License-Identifier: Apache-2.0
#include "model/schedule_choice.h"

#include "base/input_error.h"
#include "model/phase_plan.h"

#include <algorithm>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

using Order = std::vector<int>; ///< indices into network_axes()

Bytes ceil_share(Bytes bytes, std::int64_t parts)
{
    return Bytes(ceil_divide(bytes.count(), parts));
}

bool is_torus(const NetworkAxis& axis)
{
    return axis.torus_axis != NetworkAxis::on_chip;
}

/// The order in which colour `colour` takes the axes in an all-gather: the torus axes rotated, the
/// chip last, so that what leaves a chip leaves it once.
Order gather_order(const std::vector<NetworkAxis>& axes, int colour)
{
    Order torus;
    Order chip;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        (is_torus(axes[i]) ? torus : chip).push_back(static_cast<int>(i));
    }
    if (!torus.empty()) {
        std::rotate(torus.begin(),
                    torus.begin() + colour % static_cast<std::ptrdiff_t>(torus.size()),
                    torus.end());
    }
    torus.insert(torus.end(), chip.begin(), chip.end());
    return torus;
}

/// Gathers along `order`, shards growing; mirrored for a reduce-scatter; both for an all-reduce.
Colour gathering_colour(const std::vector<NetworkAxis>& axes, const Order& order, Bytes shard,
                        CollectiveKind kind, int directions)
{
    std::vector<AxisPhase> gather;
    for (int axis : order) {
        gather.push_back({axis, Exchange::gather, shard, directions});
        shard = shard * axes[static_cast<std::size_t>(axis)].length;
    }
    Colour result;
    if (kind != CollectiveKind::all_gather) {
        result.phases.assign(gather.rbegin(), gather.rend());
        for (AxisPhase& phase : result.phases) {
            phase.exchange = Exchange::reduce;
        }
    }
    if (kind != CollectiveKind::reduce_scatter) {
        result.phases.insert(result.phases.end(), gather.begin(), gather.end());
    }
    return result;
}

/// Along each axis, everybody keeps 1/length of what it holds and swaps the rest.
Colour exchanging_colour(const std::vector<NetworkAxis>& axes, const Order& order, Bytes held,
                         int directions)
{
    Colour result;
    for (int axis : order) {
        const Bytes shard = held / axes[static_cast<std::size_t>(axis)].length;
        result.phases.push_back({axis, Exchange::all_to_all, shard, directions});
    }
    return result;
}

int count_torus_axes(const std::vector<NetworkAxis>& axes)
{
    return static_cast<int>(std::count_if(axes.begin(), axes.end(), is_torus));
}

void check_options(const Collective& collective, const std::vector<NetworkAxis>& axes,
                   const topologies::Machine& machine)
{
    const ScheduleOptions& options = collective.schedule;
    if (collective.kind == CollectiveKind::permute &&
        (options.colours != 0 || options.directions != 0)) {
        throw InputError("", "collective/schedule",
                         "found options for a permute; allowed: none, it has one schedule");
    }
    const int most = std::max(1, count_torus_axes(axes));
    const std::string on_slice = " on a slice of " + machine.slice.shape() + " chips";
    if (options.colours < 0 || options.colours > most) {
        throw InputError("", "collective/schedule/colours",
                         "found " + std::to_string(options.colours) + on_slice + "; allowed: 1" +
                             (most > 1 ? " to " + std::to_string(most) : "") +
                             ", the number of its torus axes");
    }
    if (options.directions < 0 || options.directions > 2) {
        throw InputError("", "collective/schedule/directions",
                         "found " + std::to_string(options.directions) + "; allowed: 1, 2");
    }
    const bool has_line = std::any_of(axes.begin(), axes.end(), [](const NetworkAxis& axis) {
        return is_torus(axis) && !axis.wraps;
    });
    if (options.directions == 1 && has_line) {
        throw InputError("", "collective/schedule/directions",
                         "found 1" + on_slice +
                             ", of which an axis does not wrap; allowed: 2, since on a line some "
                             "must send up and some down");
    }
}

/// A part of the payload for each of `orders`.
CollectiveSchedule coloured(const Collective& collective, const topologies::Machine& machine,
                            const std::vector<NetworkAxis>& axes, const std::vector<Order>& orders)
{
    CollectiveSchedule schedule;
    schedule.kind = collective.kind;
    schedule.axes = axes;
    const int directions = collective.schedule.directions == 1 ? 1 : 2;
    const auto colours = static_cast<std::int64_t>(orders.size());
    const Bytes shard = ceil_share(ceil_share(collective.bytes, colours), machine.devices);
    for (const Order& order : orders) {
        schedule.colours.push_back(
            collective.kind == CollectiveKind::all_to_all
                ? exchanging_colour(axes, order, shard * machine.devices, directions)
                : gathering_colour(axes, order, shard, collective.kind, directions));
    }
    schedule.name = std::to_string(colours) + (colours == 1 ? " colour" : " colours") +
                    (directions == 1 ? ", one direction" : ", both directions");
    return schedule;
}

/// Everybody to the next along the first torus axis; on a chip by itself, along its path.
CollectiveSchedule shifting(const Collective& collective, const std::vector<NetworkAxis>& axes)
{
    CollectiveSchedule schedule{collective.kind, "shift", axes, {Colour{}}, {}, {}};
    if (axes.empty()) {
        return schedule;
    }
    const auto found = std::find_if(axes.begin(), axes.end(), is_torus);
    const NetworkAxis& axis = found == axes.end() ? axes.front() : *found;
    // In packets of 4 KiB, but no more of them than keep waiting for the first below 1/16.
    const int relays = axis.wraps ? 0 : axis.length - 2;
    const std::int64_t packets = ceil_divide(collective.bytes.count(), 4096);
    const auto chunks =
        std::clamp<std::int64_t>(16 * relays, 1, std::max<std::int64_t>(1, packets));
    AxisPhase phase{static_cast<int>(&axis - axes.data()), Exchange::shift,
                    ceil_share(collective.bytes, chunks)};
    phase.directions = 1;
    phase.chunks = static_cast<int>(chunks);
    schedule.colours.front().phases.push_back(phase);
    return schedule;
}

/// Every order of the torus axes, the chip's path last; the first is that of colour 0. Of those
/// that differ only in axes that are alike, one.
std::vector<Order> torus_orders(const std::vector<NetworkAxis>& axes)
{
    Order order = gather_order(axes, 0);
    const auto torus_end = order.begin() + count_torus_axes(axes);
    std::vector<Order> orders;
    std::set<std::vector<std::pair<int, bool>>> seen;
    do {
        std::vector<std::pair<int, bool>> looks;
        for (int axis : order) {
            const NetworkAxis& along = axes[static_cast<std::size_t>(axis)];
            looks.emplace_back(along.length, along.wraps);
        }
        if (seen.insert(looks).second) {
            orders.push_back(order);
        }
    } while (std::next_permutation(order.begin(), torus_end));
    return orders;
}

CollectiveSchedule gather_and_add(const Collective& collective,
                                  const std::vector<NetworkAxis>& axes)
{
    CollectiveSchedule schedule{collective.kind, "gather and add", axes, {Colour{}}, {}, {}};
    for (int axis : gather_order(axes, 0)) {
        schedule.colours.front().phases.push_back({axis, Exchange::gather, collective.bytes});
    }
    return schedule;
}

std::string in_words(const std::vector<NetworkAxis>& axes, const Order& order)
{
    std::vector<std::string> names;
    for (int axis : order) {
        const int torus = axes[static_cast<std::size_t>(axis)].torus_axis;
        names.push_back(torus == NetworkAxis::on_chip ? "chip" : std::to_string(torus));
    }
    return join(names, ", ");
}

/// No less than the busiest link needs for what `schedule` puts on it.
Picoseconds least_time(const CollectiveSchedule& schedule, int devices_per_chip)
{
    std::vector<Picoseconds> busy(schedule.axes.size(), Picoseconds(0));
    for (const std::vector<PhasePlan>& colour : plan_phases(schedule)) {
        for (const PhasePlan& plan : colour) {
            const auto axis = static_cast<std::size_t>(plan.axis);
            const int middle = (plan.length - 1) / 2;
            const int first = plan.first_step(middle, up) - 1;
            Picoseconds sending(0);
            for (int i = 0; i < plan.sends(middle, up); ++i) {
                sending += plan.serialization[static_cast<std::size_t>(first + i)];
            }
            busy[axis] += sending * (is_torus(schedule.axes[axis]) ? devices_per_chip : 1);
        }
    }
    return busy.empty() ? Picoseconds(0) : *std::max_element(busy.begin(), busy.end());
}

TimedSchedule choose(const Collective& collective, const topologies::Machine& machine)
{
    TimedSchedule best;
    for (CollectiveSchedule& candidate : candidate_schedules(collective, machine)) {
        if (best.schedule.colours.empty()) {
            best.time = schedule_time(candidate);
            best.schedule = std::move(candidate);
        } else if (least_time(candidate, machine.devices_per_chip) < best.time) {
            const Picoseconds time = schedule_time(candidate);
            if (time < best.time) {
                best = {std::move(candidate), time};
            }
        }
    }
    return best;
}

} // namespace

std::vector<CollectiveSchedule> candidate_schedules(const Collective& collective,
                                                    const topologies::Machine& machine)
{
    if (collective.kind == CollectiveKind::broadcast) {
        throw InputError("collective kind broadcast is not supported yet; "
                         "allowed: all_gather, reduce_scatter, all_reduce, all_to_all, permute");
    }
    const std::vector<NetworkAxis> axes = network_axes(machine);
    const ScheduleOptions& options = collective.schedule;
    check_options(collective, axes, machine);
    if (collective.kind == CollectiveKind::permute) {
        return {shifting(collective, axes)};
    }
    const int most = std::max(1, count_torus_axes(axes));
    const int colours = options.colours > 0 ? options.colours : most;
    std::vector<CollectiveSchedule> candidates;
    if (colours > 1) {
        std::vector<Order> orders;
        for (int colour = 0; colour < colours; ++colour) {
            orders.push_back(gather_order(axes, colour));
        }
        candidates.push_back(coloured(collective, machine, axes, orders));
    }
    if (options.colours <= 1) {
        for (const Order& order : torus_orders(axes)) {
            candidates.push_back(coloured(collective, machine, axes, {order}));
            candidates.back().name += ", axes " + in_words(axes, order);
        }
    }
    const bool free = options.colours == 0 && options.directions == 0;
    if (collective.kind == CollectiveKind::all_reduce && free && !axes.empty()) {
        candidates.push_back(gather_and_add(collective, axes));
    }
    return candidates;
}

CollectiveSchedule make_schedule(const Collective& collective, const topologies::Machine& machine)
{
    return choose(collective, machine).schedule;
}

const TimedSchedule& ScheduleBook::best(const Collective& collective)
{
    const Key key{collective.kind, collective.bytes.count(), collective.schedule.colours,
                  collective.schedule.directions};
    const auto found = chosen_.find(key);
    return found != chosen_.end()
               ? found->second
               : chosen_.emplace(key, choose(collective, machine_)).first->second;
}

} // namespace alxsim::model
