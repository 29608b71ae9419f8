// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/spread_schedules.h"

#include "model/schedules/ring_schedules.h"

#include <algorithm>
#include <set>
#include <utility>

namespace alxsim::model {
namespace {

/// One chunk's way from the root to all.
Colour spreading_colour(const CollectiveGroup& group, const AxisOrder& order, Bytes chunk,
                        int directions)
{
    const auto root = [&group](int axis) { return group.root[static_cast<std::size_t>(axis)]; };
    Colour colour;
    for (std::size_t i = 0; i < order.size(); ++i) {
        AxisPhase phase{order[i], Exchange::spread, chunk, directions};
        phase.origin = root(order[i]);
        for (std::size_t later = i + 1; later < order.size(); ++later) {
            phase.only_at.push_back({order[later], root(order[later])});
        }
        colour.phases.push_back(phase);
    }
    return colour;
}

/// The same way back: one chunk's sum from all to the root.
Colour mirrored(Colour colour)
{
    std::reverse(colour.phases.begin(), colour.phases.end());
    for (AxisPhase& phase : colour.phases) {
        phase.exchange = Exchange::collect;
    }
    return colour;
}

CollectiveSchedule spreading(const Collective& collective, const CollectiveGroup& group,
                             int rotations, int chunks)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, "");
    const Bytes chunk = ceil_share(collective.bytes, chunks * rotations);
    const bool reduce = collective.kind == CollectiveKind::reduce;
    for (int i = 0; i < chunks * rotations; ++i) {
        Colour colour = spreading_colour(group, gather_order(group, i % rotations), chunk,
                                         directions_of(collective));
        schedule.colours.push_back(reduce ? mirrored(std::move(colour)) : std::move(colour));
    }
    schedule.name = (reduce ? "collect in " : "spread in ") + std::to_string(chunks * rotations) +
                    (chunks * rotations == 1 ? " chunk" : " chunks") +
                    (rotations > 1 ? ", axes in turn" : "") +
                    (directions_of(collective) == 1 ? ", one direction" : "");
    return schedule;
}

} // namespace

std::vector<CollectiveSchedule> spreading_schedules(const Collective& collective,
                                                    const CollectiveGroup& group)
{
    const int asked = collective.schedule.colours;
    const int most = std::max(1, static_cast<int>(group.ici_axes().size()));
    const std::int64_t packet = group.axis(group.used.front()).packet.count();
    std::set<int> rotations = asked > 0 ? std::set<int>{asked} : std::set<int>{1, most};
    std::vector<CollectiveSchedule> schedules;
    for (int turns : rotations) {
        for (int chunks = 1; chunks <= 64; chunks *= 2) {
            const bool below_a_packet = collective.bytes.count() < packet * chunks * turns;
            if (chunks == 1 || !below_a_packet) {
                schedules.push_back(spreading(collective, group, turns, chunks));
            }
        }
    }
    return schedules;
}

} // namespace alxsim::model
