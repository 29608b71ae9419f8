// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/collectives/collective_algorithm.h"
#include "model/graph/work.h"
#include "topologies/machine.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::model {

/// One dimension of the network that a collective runs along: the path between the devices of a
/// chip, a torus axis of more than one chip, or the data center network between slices.
struct NetworkAxis {
    static constexpr int on_chip = -1;
    static constexpr int ranks = -2; ///< see RankGroups

    int torus_axis = on_chip; ///< index into Slice::axes(), on_chip or ranks
    int length = 1;
    bool wraps = false;
    double bytes_per_second = 0; ///< of one link in one direction
    Picoseconds latency{0};      ///< from the last byte sent to the message usable at the neighbour
    Bytes packet{4096};          ///< the longest: in such pieces the senders on a link take turns
    double hidden = 0; ///< share of an all-reduce's bytes that others' time hides (on chip alone)
    bool joins_slices = false; ///< along it go the data center network's links
    // For a part of an axis:
    int hops = 1;    ///< links that a message to the next passes, all in latency
    int sharing = 1; ///< messages of as many groups are on a link, all in bytes_per_second

    /// Hops between the members that are farthest apart: half-way round a ring either way, or from
    /// end to end of a line.
    int diameter() const { return wraps ? length / 2 : length - 1; }

    bool operator==(const NetworkAxis& other) const;
};

/// On-chip first, then the torus axes in order; those of length 1 are left out. A link that is slow
/// slows its whole axis, since everything on a ring passes its slowest link: what schedule_time
/// assumes, where the simulator slows the one link. Likewise approximate is a ring with a dead
/// link, whose messages go the other way round: the other links carry them too, so half the rate,
/// and k-2 hops more; and a buffer (vc_buffer) too small for the round trip, which paces the link
/// as it does a long message. Throws InputError for dead links that no route leads round.
std::vector<NetworkAxis> network_axes(const topologies::Machine& machine);

/// What the members of an axis do in a phase:
///   gather      everybody gets everybody's shard;
///   reduce      its mirror in time: everybody gets its shard of everybody's sum;
///   all_to_all  everybody has a shard for each other member;
///   shift       everybody sends `chunks` shards to the next member up, the last one to the first:
///               a hop on a ring, all the way back down on a line;
///   spread      the member at the origin sends its shard to all others, each passing it on;
///   collect     its mirror in time: the member at the origin gets the sum of everybody's shard.
enum class Exchange { gather, reduce, all_to_all, shift, spread, collect };

/// Whether one member is unlike the others.
inline bool has_origin(Exchange exchange)
{
    return exchange == Exchange::spread || exchange == Exchange::collect;
}

/// Where a device stands on one of network_axes().
struct AxisPosition {
    int axis = 0;
    int position = 0;

    bool operator==(const AxisPosition& other) const
    {
        return axis == other.axis && position == other.position;
    }
};

/// One exchange along one axis. With two directions a ring is used both ways, each shard going the
/// nearest way; with one, everything goes up, or all down. A line and the path on a chip always use
/// both.
struct AxisPhase {
    int axis = 0; ///< index into network_axes()
    Exchange exchange = Exchange::gather;
    Bytes shard{0};     ///< what each member holds alone (before a gather, after a reduce), or has
                        ///< for each other member
    int directions = 2; ///< in which a ring is used
    bool downwards = false; ///< of one direction: down
    int chunks = 1;         ///< of a shift: what travels over a line goes in so many parts
    /// Members of a ring where they are fewer than its chips, as on a twisted torus, where those so
    /// many hops apart hold the same. 0: all.
    int members = 0;
    int origin = 0; ///< of a spread or collect: a position on the axis
    /// Only devices that stand there take part; the others skip the phase. Of a spread, the origins
    /// of the axes along which it has not gone yet.
    std::vector<AxisPosition> only_at = {};

    /// Messages that a member sends in one direction, at most.
    int steps(const NetworkAxis& axis_used) const;
    bool operator==(const AxisPhase& other) const;
    /// Bytes that a member sends in one direction at `step` (1, 2, ...). On a ring of even length
    /// with both directions in use, half of a shard goes to the member opposite either way.
    Bytes step_bytes(int step, const NetworkAxis& axis_used) const;
};

/// A part of the payload, and the axes in its own order, so that all links work at once.
struct Colour {
    std::vector<AxisPhase> phases;
};

struct RoutedNetwork;

/// Groups that are lists of devices, which stand on made-up axes: on parts of the torus's, on a
/// ring of neighbours, or else as listed on one of their own.
struct RankGroups {
    std::vector<std::vector<int>> groups; ///< [group][place in the list]: device
    /// [axis of the schedule]: places in a list from one position on it to the next; 0: all of a
    /// group have the same.
    std::vector<int> strides;
    /// Indices into network_axes() of those on whose links messages go; empty: on any.
    std::vector<int> along;
    /// What a message to the next gets, or in the other direction to the one before.
    struct Way {
        int hops = 0;                ///< ICI links that it passes
        double bytes_per_second = 0; ///< if all messages to the next go at once
        Picoseconds latency{0};
    };
    std::array<std::vector<Way>, 2> ways; ///< [direction][group * length + position]; as listed
    /// What carries their messages packet by packet where groups share links. Null: these go at the
    /// rates of the axes. If there is one, the last axis is that of the groups, along which nothing
    /// goes.
    std::shared_ptr<const RoutedNetwork> network = nullptr;
};

struct CollectiveSchedule {
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::string name;              ///< for people: how it was scheduled
    CollectiveAlgorithm algorithm; ///< the same for programs
    std::vector<NetworkAxis> axes; ///< all of the machine's, whichever are used
    std::vector<int> group;        ///< those that a group spans: indices into `axes`
    /// Not null: the axes are made-up ones.
    std::shared_ptr<const RankGroups> ranks = nullptr;
    std::vector<Colour> colours;
    /// Not 0: colours from this one on begin when all of a group have done all those before, after
    /// a barrier. So two schedules, each with its own colours, follow each other.
    int then = 0;
    /// Instead of colours: messages that go by themselves over the routers, all at once; a device
    /// sends its own in this order.
    std::vector<PairMessage> messages;
    /// [message]: those that must have come to its source before. Empty: nobody waits.
    std::vector<std::vector<int>> messages_after = {};
    /// An estimate for `messages`: the busiest link's time, and the longest way. Routers that hold
    /// each other up are left out: a large all-to-all takes up to 2.5 times as long on 8x8.
    Picoseconds messages_time{0};
    /// What carries `messages` where they are few enough to be replayed; null: the estimate stands.
    std::shared_ptr<const RoutedNetwork> messages_over = nullptr;
    Bytes messages_link_bytes{0}; ///< that `messages` put on ICI links in all

    /// Indices into network_axes() of those that its messages have to themselves, so that
    /// collectives on others need not wait; empty: none does.
    const std::vector<int>& along() const { return ranks ? ranks->along : group; }

    /// Whether messages of lists are carried packet by packet.
    bool has_rank_network() const { return ranks && ranks->network; }

    int colours_of_first_part() const { return then > 0 ? then : static_cast<int>(colours.size()); }

    /// Whether colours are chunks of one stream, which go one after another. Else each colour of a
    /// device is a stream of its own: on a link they take turns, packet by packet, lest a small
    /// phase of one wait for a large phase of another.
    bool colours_are_chunks() const
    {
        return !colours.empty() && !colours.front().phases.empty() &&
               has_origin(colours.front().phases.front().exchange);
    }
};

/// The quickest, by schedule_time, of candidate_schedules(). Throws InputError for a group, options
/// or messages that the slice does not have.
CollectiveSchedule make_schedule(const Collective& collective, const topologies::Machine& machine);

/// Exact time of a schedule that nothing else disturbs, all devices entering at once, launch not
/// counted. It is played message by message, one place standing for all of a ring, so that colours
/// and devices of a chip that meet on a link take turns as they do in the simulator. Where they do
/// not meet it is, for shards s, bandwidth w and hop latency L:
///   gather or reduce, ring of k: floor(k/2) L + (k-1)/2 s/w; one way: (k-1) (L + s/w);
///   gather or reduce, line of k: (k-1) (L + s/w);
///   all_to_all, ring of k: floor(k/2) L + (k^2/8, k odd (k^2-1)/8) s/w, since what goes on from
///     a member goes on in one message; one way each shard travels by itself, one distance after
///     the other, as ASTRA-sim does it: k (k-1)/2 (L + s/w);
///   all_to_all, line of k: shard by shard, for the farthest member first; link i is busy
///     i (k-i) s/w;
///   shift: s/w + L on a ring; on a line of k, c chunks: (k-2+c) s/w + (k-1) L.
Picoseconds schedule_time(const CollectiveSchedule& schedule);

/// The same in closed form, thousands of times as fast, for draws and searches: of the slowest
/// colour, step after step, each with its latency and the messages of all devices of the chip; and
/// no less than the busiest link needs. Equal to schedule_time() for one colour on chips of one
/// device. Of several colours that meet on a link it knows nothing: 3 % off in the mean over a grid
/// of meshes and tori, up to 27 % too fast for large arrays (a test prints it). Lists
/// that a network carries take each step as long as its slowest way.
Picoseconds closed_form_time(const CollectiveSchedule& schedule);

/// What the busiest link needs for what `schedule` puts on it: no schedule can be faster. Of lists
/// that a network carries nothing is said.
Picoseconds busiest_link_time(const CollectiveSchedule& schedule);

/// No schedule can be faster, whatever its routes along the group's axes: links at their nominal
/// rate, nothing broken. With V bytes, groups of C chips and D devices, links of bandwidth w each
/// way:
///   all-gather, reduce-scatter: the chip with fewest links takes in (gives out) V (1-1/C);
///   all-reduce: every chip but one gives up V to be added and is given V back, 2 (C-1) V in all
///   over all links; and the chip with fewest links takes in V at least;
///   all-to-all: an axis of k cut in halves of a and b: D a/k devices send V b/k each over C/k
///   links, twice as many if it wraps; on an even ring V D/C k/(8 w), the scaling book's V/(4W); on
///   a twisted torus all bytes times their hops over all links;
///   broadcast, reduce: C-1 chips take in (give out) V over all links, the one with fewest links
///   by itself; hops count from the root;
///   of groups across chips: what all those of a chip send, since they share its links;
///   messages: what a chip sends or takes in over its links, what crosses a cut of an axis over the
///   cut's, and all bytes times their hops over all links;
///   all of these: the hops between the chips farthest apart, or from the root, on the wire; and
///   software's part of one message on top; permute without messages: V D/C over one link, and its
///   hops, since messages go the nearest way.
/// For a group on one chip, the on-chip path in place of links.
Seconds collective_bound(const Collective& collective, const topologies::Machine& machine);

/// The scaling book's estimate for wrapped axes (its chapter on sharding), n of them with lengths
/// X, W both ways of an axis together: all-gather, reduce-scatter V/(W n); all-reduce 2V/(W n);
/// all-to-all V max(X)/(4 W); or the step latency times sum(X)/2, whichever is more. A rule of
/// thumb and not a bound: it counts the own share as sent, so a ring of 4 beats it by a quarter.
/// V as in Collective; the book's all-to-all counts it over all devices. Throws InputError where
/// scaling_book_covers() does not hold.
Seconds scaling_book_time(const Collective& collective, const topologies::Machine& machine);
/// Not: lines, a single chip, twisted tori, permute, broadcast, reduce, messages, groups across
/// chips that share links.
bool scaling_book_covers(const Collective& collective, const topologies::Machine& machine);

/// The algorithm of a schedule, also where it is none of the compiler's.
CollectiveAlgorithm algorithm_of(const CollectiveSchedule& schedule);

/// Bytes that all devices together put on ICI links in this schedule.
Bytes link_bytes(const CollectiveSchedule& schedule, int devices);

/// Messages that all `devices` together send, about: on a line, members send in both directions to
/// as many others together as its length, less one.
std::int64_t message_count(const CollectiveSchedule& schedule, int devices);

} // namespace alxsim::model
