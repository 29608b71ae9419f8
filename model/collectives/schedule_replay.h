// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/places.h"
#include "model/packets/packet_turns.h"

#include <array>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// Where the members of a schedule stand that are all ready at once. All places of a ring behave
/// alike unless something begins at its origin, so one stands for all of them; so does one for all
/// groups along an axis that no phase uses. A line is its own mirror image unless everything goes
/// one way on it; the devices of a chip are not, since they take turns on its links.
Places places_of(const CollectiveSchedule& schedule);
/// Where they stand if each has its own place: in the order of axes, the first one fastest.
Places all_places_of(const CollectiveSchedule& schedule);

/// What goes along an axis in one direction, in all.
struct AxisLoad {
    std::int64_t messages = 0;
    std::int64_t packets = 0;
    Bytes bytes{0};
    Picoseconds busy{0};
};

/// Plays a schedule message by message on links that nobody else uses.
///
/// What a chip does is felt by others a link's latency later at the soonest. So chips are played
/// one after another, each for that long, and only what happens on a chip has to be in order. What
/// comes by a link, or by a path on the chip, comes in the order in which it was sent: the next to
/// happen is the first of a few queues.
class ScheduleReplay {
public:
    ScheduleReplay(const CollectiveSchedule& schedule, Places places);

    /// When the last message has come, if all are ready at 0.
    Picoseconds finish();
    /// The same if each place is `ready` at a time of its own.
    Picoseconds finish(const std::vector<Picoseconds>& ready);

    /// [place]: when it had the last of what it waits for; of schedules that nobody leaves by
    /// sending alone.
    const std::vector<Picoseconds>& done() const { return done_; }
    int chips() const { return places_.count() / devices_per_chip_; }
    /// [axis][direction]: what goes from `chip`, over links or on it.
    std::vector<std::array<AxisLoad, 2>> loads(int chip) const;

private:
    struct Arrival {
        Picoseconds time{0};
        std::uint64_t event = 0; ///< a CollectiveEvent, packed
    };
    /// In order of time.
    struct Arrivals {
        std::vector<Arrival> items; ///< a ring; its size is a power of two
        std::size_t first = 0;
        std::size_t count = 0;

        const Arrival& front() const { return items[first]; }
        void push(const Arrival& arrival);
        void pop()
        {
            first = (first + 1) & (items.size() - 1);
            --count;
        }
    };
    /// All links along an axis.
    struct Along {
        bool on_chip = false;
        double bytes_per_second = 0;
        Picoseconds latency{0};
        Picoseconds packet_time{0};
        std::int64_t packet = 0;
        std::int64_t known_bytes = -1; ///< whose sending time was asked for last
        Picoseconds known_time{0};
    };
    struct Link {
        PacketTurns turns;
        PacketTrain train;        ///< of messages of several packets
        Picoseconds wire_end{0};  ///< of a packet that is a message's last, and has been told
        std::size_t asked = 0;    ///< the source that says when it has sent something
        std::size_t arrivals = 0; ///< the source where its messages come to
        int axis = 0;
        int way = up; ///< of what comes: at the middle of a line it turns round
        int to = 0;   ///< place of the first device where it leads to
    };
    /// What a chip waits for, and of several at one moment the first: devices that are ready, what
    /// comes by its own paths, links that have sent, what comes by links. The simulated network has
    /// the same order.
    struct Sources {
        int paths = 1;
        int links = 1;
        int arrivals = 1;
        int count = 1;
    };

    auto sender(int chip, Picoseconds now, bool before_links)
    {
        return [this, chip, now, before_links](const ProgressMessage& message) {
            send(message, chip, now, before_links);
        };
    }
    int links_per_chip() const { return 2 * (static_cast<int>(along_.size()) - first_axis_); }
    void set_sources();
    void set_link(int chip, int axis, int way);
    void start(const std::vector<Picoseconds>& ready);
    void play(int chip, Picoseconds until);
    std::size_t first_of_moment(int chip, int source, int end) const;
    void enter(int chip, Picoseconds now);
    void receive(int chip, std::size_t source, Picoseconds now, bool before_links);
    void complete(int place, int colours, Picoseconds now);
    void send(const ProgressMessage& message, int chip, Picoseconds now, bool before_links);
    void send_on_chip(const ProgressMessage& message, int chip, int device, Picoseconds now);
    void send_on_link(std::size_t number, const ProgressMessage& message, int device,
                      Picoseconds now, bool before_links);
    void sent(std::size_t number, Picoseconds now);
    void begin(Link& link, Picoseconds now);
    void run(Link& link);
    void arrive(const Link& link, std::int32_t message, Picoseconds sent);
    void add_arrival(std::size_t source, const Arrival& arrival);
    static Picoseconds time_of(Along& along, std::int64_t bytes);
    Along& along(int axis) { return along_[static_cast<std::size_t>(axis)]; }
    std::uint64_t event(std::size_t source) const { return arrivals_[source].front().event; }

    Places places_;
    PlannedCollective planned_;
    CollectiveProgress<Places> progress_;
    bool in_chunks_;
    int devices_per_chip_;
    int device_bits_ = 0;      ///< of the number of a message on a link: its sender on the chip,
    int phase_bits_ = 0;       ///< above that its phase, and above that its colour
    int first_axis_ = 0;       ///< of those with links
    Picoseconds ahead_;        ///< of the quickest link
    std::vector<Along> along_; ///< [axis]
    Sources sources_;
    std::vector<Picoseconds> next_;             ///< [chip][source]
    std::vector<Arrivals> arrivals_;            ///< [chip][source]
    std::vector<Picoseconds> soonest_;          ///< [chip]: of next_, or before
    std::vector<Link> links_;                   ///< [chip][axis][direction]
    std::vector<Picoseconds> paths_;            ///< [place][direction]: on a chip, when it is free
    std::vector<std::vector<Arrival>> entries_; ///< [chip], the last one first
    PacketTurns::Pool pool_;
    std::vector<int> left_; ///< [place]: colours
    std::vector<Picoseconds> done_;
    Picoseconds last_{0};
};

} // namespace alxsim::model
