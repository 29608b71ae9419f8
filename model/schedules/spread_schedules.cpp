// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/spread_schedules.h"

#include "model/schedules/ring_schedules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace alxsim::model {
namespace {

/// How chunks go.
struct Spreading {
    int rotations = 1;      ///< of the axes' order, which chunks take in turn
    bool all_round = false; ///< in turn the one way and the other, else both ways
    int chunks = 1;         ///< of each rotation and way

    int ways() const { return all_round ? 2 : 1; }
    int colours() const { return rotations * ways() * chunks; }
};

/// One chunk's way from the root to all.
Colour spreading_colour(const CollectiveGroup& group, const AxisOrder& order, Bytes chunk,
                        int directions, bool downwards)
{
    const auto root = [&group](int axis) { return group.root[static_cast<std::size_t>(axis)]; };
    Colour colour;
    for (std::size_t i = 0; i < order.size(); ++i) {
        AxisPhase phase{order[i], Exchange::spread, chunk, directions};
        phase.origin = root(order[i]);
        phase.downwards = downwards;
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

std::string name_of(const Collective& collective, const Spreading& how)
{
    const int colours = how.colours();
    return (collective.kind == CollectiveKind::reduce ? "collect in " : "spread in ") +
           std::to_string(colours) + (colours == 1 ? " chunk" : " chunks") +
           (how.rotations > 1 ? ", axes in turn" : "") +
           (how.all_round                    ? ", half of them each way"
            : directions_of(collective) == 1 ? ", one direction"
                                             : "");
}

/// The ways that chunks take in turn.
std::vector<Colour> turns_of(const Collective& collective, const CollectiveGroup& group,
                             const Spreading& how)
{
    const Bytes chunk = ceil_share(collective.bytes, how.colours());
    const int directions = how.all_round ? 1 : directions_of(collective);
    std::vector<Colour> turns;
    for (int i = 0; i < how.rotations * how.ways(); ++i) {
        Colour colour = spreading_colour(group, gather_order(group, i % how.rotations), chunk,
                                         directions, i >= how.rotations);
        turns.push_back(collective.kind == CollectiveKind::reduce ? mirrored(std::move(colour))
                                                                  : std::move(colour));
    }
    return turns;
}

CollectiveSchedule spreading(const Collective& collective, const CollectiveGroup& group,
                             const Spreading& how)
{
    CollectiveSchedule schedule = blank_schedule(collective, group, name_of(collective, how));
    const std::vector<Colour> turns = turns_of(collective, group, how);
    schedule.colours.reserve(static_cast<std::size_t>(how.colours()));
    for (int chunk = 0; chunk < how.chunks; ++chunk) {
        schedule.colours.insert(schedule.colours.end(), turns.begin(), turns.end());
    }
    return schedule;
}

/// Hops from the root to the farthest member, going as `how` says.
int hops_of(const CollectiveGroup& group, const Spreading& how)
{
    int hops = 0;
    for (const int axis : group.used) {
        const NetworkAxis& along = group.axis(axis);
        const int root = group.root[static_cast<std::size_t>(axis)];
        hops += !along.wraps    ? std::max(root, along.length - 1 - root)
                : how.all_round ? along.length - 1
                                : along.diameter();
    }
    return hops;
}

/// Numbers of chunks worth a look: the fill of the pipeline takes the time of all chunks by hops
/// less one over chunks.
std::set<int> chunk_counts(const Collective& collective, const CollectiveGroup& group,
                           const Spreading& how)
{
    constexpr int always = 64;
    constexpr int most = 512;
    constexpr int short_fill = 50; // a fiftieth
    const std::int64_t packet = group.axis(group.used.front()).packet.count();
    const int fill = hops_of(group, how) - 1;
    std::set<int> counts{1};
    for (int chunks = 2; chunks <= most; chunks *= 2) {
        const bool worthwhile = chunks <= always || fill * short_fill > chunks / 2;
        const std::int64_t parts = std::int64_t{chunks} * how.rotations * how.ways();
        if (worthwhile && collective.bytes.count() >= packet * parts) {
            counts.insert(chunks);
        }
    }
    return counts;
}

/// Whether the links of every axis but the chip's lead round.
bool on_rings(const CollectiveGroup& group)
{
    return !group.torus_axes().empty() && group.wraps() && group.devices_on_a_chip() == 1;
}

/// All that are worth a look.
std::vector<Spreading> spreadings(const Collective& collective, const CollectiveGroup& group)
{
    const int asked = collective.schedule.colours;
    const int axes = std::max(1, static_cast<int>(group.ici_axes().size()));
    const std::set<int> rotations = asked > 0 ? std::set<int>{asked} : std::set<int>{1, axes};
    const bool free = asked == 0 && collective.schedule.directions == 0;
    std::vector<Spreading> all;
    for (const int turns : rotations) {
        for (const bool all_round : {false, true}) {
            if (all_round && !(free && on_rings(group))) {
                continue;
            }
            Spreading how{turns, all_round, 1};
            for (const int chunks : chunk_counts(collective, group, how)) {
                how.chunks = chunks;
                all.push_back(how);
            }
        }
    }
    return all;
}

/// Its closed_form_time(), in which the busiest link carries each turn as often as the first one:
/// nothing of hundreds of chunks is built.
Picoseconds closed_form_time_of(const Collective& collective, const CollectiveGroup& group,
                                const Spreading& how)
{
    CollectiveSchedule once = blank_schedule(collective, group, "");
    once.colours = turns_of(collective, group, how);
    const auto turns = static_cast<std::int64_t>(once.colours.size());
    const Picoseconds busiest = busiest_link_time(once);
    const Picoseconds last_chunk = busiest / turns;
    const Picoseconds slowest = closed_form_time(once) - (busiest - last_chunk);
    return slowest + busiest * how.chunks - last_chunk;
}

} // namespace

std::vector<CollectiveSchedule> spreading_schedules(const Collective& collective,
                                                    const CollectiveGroup& group)
{
    std::vector<CollectiveSchedule> schedules;
    for (const Spreading& how : spreadings(collective, group)) {
        schedules.push_back(spreading(collective, group, how));
    }
    return schedules;
}

CollectiveSchedule quickest_spreading_schedule(const Collective& collective,
                                               const CollectiveGroup& group)
{
    std::optional<Spreading> best;
    Picoseconds least(0);
    for (const Spreading& how : spreadings(collective, group)) {
        const Picoseconds time = closed_form_time_of(collective, group, how);
        if (!best || time < least) {
            best = how;
            least = time;
        }
    }
    return spreading(collective, group, *best);
}

} // namespace alxsim::model
