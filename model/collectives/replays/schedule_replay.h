// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/collective_progress.h"
#include "model/collectives/inbox.h"
#include "model/collectives/places.h"
#include "model/packets/packet_turns.h"

#include <array>
#include <cstdint>
#include <optional>
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
/// one after another, each for that long, and only what happens on a chip has to be in order.
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
    struct Message {
        std::uint64_t stream = 0; ///< see PacketTurns
        std::uint32_t event = 0;  ///< that it is when it comes
        std::int64_t bytes = 0;
    };
    struct Link {
        Picoseconds wire_end{0}; ///< of a packet that is a message's last, and has been told
        PacketTrain train;       ///< of messages of several packets
        /// What has the link for itself, or alone waits for it, is in no queue.
        std::optional<Message> alone;
        PacketTurns turns;
        std::size_t asked = 0; ///< in next_: when it has sent something
        int axis = 0;
        int to = 0;                   ///< the chip where it leads to
        std::uint32_t turns_back = 0; ///< in an event: at the middle of a line, the direction
    };
    /// What a chip waits for, and of several at one moment the first: devices that are ready, what
    /// comes by its own paths, links that have sent, and after them what comes by links. The
    /// simulated network has the same order.
    enum Source : std::size_t { entries, paths, links };

    auto sender(int chip, Picoseconds now, bool before_links)
    {
        return [this, chip, now, before_links](const ProgressMessage& message) {
            send(message, chip, now, before_links);
        };
    }
    int links_per_chip() const { return 2 * (static_cast<int>(along_.size()) - first_axis_); }
    void set_links(int chip);
    void start(const std::vector<Picoseconds>& ready);
    bool begin_second_part();
    void let_enter(const std::vector<Picoseconds>& ready);
    void play(int chip, Picoseconds until);
    Picoseconds first_but_links(int chip) const;
    void handle(int chip, Picoseconds now);
    void enter(int chip, Picoseconds now);
    void receive(int chip, Inbox& inbox, Picoseconds now, bool before_links);
    void complete(int place, int colours, Picoseconds now);
    void send(const ProgressMessage& message, int chip, Picoseconds now, bool before_links);
    void send_on_chip(const ProgressMessage& message, int chip, Picoseconds now);
    void send_on_link(Link& link, const ProgressMessage& message, int device, Picoseconds now,
                      bool before_links);
    void add(Link& link, const Message& message);
    void begin_alone(Link& link, Picoseconds now);
    void end_alone(Link& link, Picoseconds end);
    void sent(Link& link, Picoseconds now);
    void begin(Link& link, Picoseconds now);
    void run(Link& link);
    void arrive(const Link& link, std::uint32_t event, Picoseconds sent);
    void wait_for(std::size_t source, Picoseconds time);
    static Picoseconds time_of(Along& along, std::int64_t bytes);
    Along& along(int axis) { return along_[static_cast<std::size_t>(axis)]; }
    std::size_t row(int chip) const { return static_cast<std::size_t>(chip) * sources_; }

    Places places_;
    PlannedCollective planned_;
    CollectiveProgress<Places> progress_;
    bool in_chunks_;
    bool in_second_part_ = false;
    int devices_per_chip_;
    int device_bits_ = 0;              ///< of an event: the device of the chip; above them the slot
    int first_axis_ = 0;               ///< of those with links
    Picoseconds ahead_;                ///< of the quickest link
    std::vector<Along> along_;         ///< [axis]
    std::size_t sources_ = 0;          ///< of a chip, in next_
    std::vector<Picoseconds> next_;    ///< [chip][source]
    Picoseconds first_{0};             ///< of those of the chip that is played
    std::vector<Inbox> by_paths_;      ///< [chip]
    std::vector<Inbox> by_links_;      ///< [chip]
    std::vector<Picoseconds> soonest_; ///< [chip]: of all that it waits for, or before
    std::vector<Link> links_;          ///< [chip][axis][direction]
    std::vector<Picoseconds> path_free_; ///< [place][direction]: on a chip
    std::vector<Inbox> entries_;         ///< [chip]: its devices
    PacketTurns::Pool pool_;
    std::vector<int> left_; ///< [place]: colours
    std::vector<Picoseconds> done_;
    Picoseconds last_{0};
};

} // namespace alxsim::model
