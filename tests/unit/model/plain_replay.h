// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/phase_plan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace alxsim::model {

/// The plain way to do what schedule_time does, for comparison. Plays a schedule packet by packet
/// on links that nobody else uses; the devices of a chip take turns on them. Where nothing begins
/// at an origin, all places of a ring behave alike, so one stands for all of them and is its own
/// neighbour; otherwise every place counts.
class PlainReplay {
public:
    explicit PlainReplay(const CollectiveSchedule& schedule)
        : schedule_(schedule),
          plans_(plan_phases(schedule)),
          phases_(plans_.front().size())
    {
        const bool rooted =
            std::any_of(plans_.front().begin(), plans_.front().end(),
                        [](const PhasePlan& plan) { return has_origin(plan.exchange); });
        for (const NetworkAxis& axis : schedule.axes) {
            const bool alike = axis.wraps && !rooted;
            lengths_.push_back(alike ? 1 : axis.length);
            strides_.push_back(members_);
            members_ *= lengths_.back();
        }
        links_.resize(schedule.axes.size() * 2 * static_cast<std::size_t>(members_));
        progress_.resize(plans_.size() * static_cast<std::size_t>(members_));
        directions_.resize(progress_.size() * phases_);
    }

    Picoseconds finish()
    {
        for (int member = 0; member < members_; ++member) {
            for (int colour = 0; colour < schedule_.colours_of_first_part(); ++colour) {
                advance(member, colour, Picoseconds(0));
            }
        }
        Picoseconds last = run();
        for (int member = 0; member < members_; ++member) {
            for (int colour = schedule_.colours_of_first_part();
                 colour < static_cast<int>(plans_.size()); ++colour) {
                advance(member, colour, last);
            }
        }
        return std::max(last, run());
    }

private:
    /// When the last message has come.
    Picoseconds run()
    {
        Picoseconds last(0);
        while (!events_.empty()) {
            std::pop_heap(events_.begin(), events_.end(), Later{});
            const Event event = events_.back();
            events_.pop_back();
            if (event.is_arrival) {
                last = event.time;
                receive(event.message, event.time);
            } else {
                end_packet(event.link, event.time);
            }
        }
        return last;
    }

    struct Direction {
        int sent = 0;
        int received = 0;
    };
    struct Message {
        int colour = 0;
        int phase = 0;
        int way = up;
        int member = 0; ///< to whom
        std::int64_t left = 0;
    };
    struct Link {
        std::map<int, std::deque<Message>> streams; ///< what waits, by colour and device
        int served = -1;                            ///< whose packet went last
        bool busy = false;                          ///< a packet is on the link
        Message last;                               ///< whose packet it is
    };
    struct Event {
        Picoseconds time{0};
        bool is_arrival = false; ///< else a packet has left
        std::size_t link = 0;
        Message message = {};

        /// Which of several at one moment comes first, as in the simulated network.
        auto rank() const
        {
            return std::tuple(time.count(), is_arrival, message.colour, message.phase, message.way,
                              message.member, link);
        }
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const { return a.rank() > b.rank(); }
    };

    void post(const Event& event)
    {
        events_.push_back(event);
        std::push_heap(events_.begin(), events_.end(), Later{});
    }

    int coordinate(int member, int axis) const
    {
        const auto index = static_cast<std::size_t>(axis);
        return member / strides_[index] % lengths_[index];
    }

    int neighbour(int member, int axis, int way) const
    {
        const auto index = static_cast<std::size_t>(axis);
        const int from = coordinate(member, axis);
        const int to = (from + (way == up ? 1 : lengths_[index] - 1)) % lengths_[index];
        return member + (to - from) * strides_[index];
    }

    int& progress(int member, int colour)
    {
        return progress_[static_cast<std::size_t>(colour) * static_cast<std::size_t>(members_) +
                         static_cast<std::size_t>(member)];
    }

    std::array<Direction, 2>& direction(int member, int colour, int phase)
    {
        return directions_[(static_cast<std::size_t>(colour) * phases_ +
                            static_cast<std::size_t>(phase)) *
                               static_cast<std::size_t>(members_) +
                           static_cast<std::size_t>(member)];
    }

    const PhasePlan& plan_of(int colour, int phase) const
    {
        return plans_[static_cast<std::size_t>(colour)][static_cast<std::size_t>(phase)];
    }

    void receive(const Message& message, Picoseconds now)
    {
        std::array<Direction, 2>& state = direction(message.member, message.colour, message.phase);
        ++state[static_cast<std::size_t>(message.way)].received;
        if (progress(message.member, message.colour) == message.phase) {
            advance(message.member, message.colour, now);
        }
    }

    bool takes_part(int member, const PhasePlan& plan) const
    {
        return std::all_of(plan.only_at.begin(), plan.only_at.end(), [&](const AxisPosition& at) {
            return coordinate(member, at.axis) == at.position;
        });
    }

    void advance(int member, int colour, Picoseconds now)
    {
        int& phase = progress(member, colour);
        while (phase < static_cast<int>(phases_)) {
            if (takes_part(member, plan_of(colour, phase))) {
                const bool up_done = send_what_is_ready(member, colour, phase, up, now);
                const bool down_done = send_what_is_ready(member, colour, phase, down, now);
                if (!up_done || !down_done) {
                    return;
                }
            }
            ++phase;
        }
    }

    bool send_what_is_ready(int member, int colour, int phase, int way, Picoseconds now)
    {
        const PhasePlan& plan = plan_of(colour, phase);
        const int position = coordinate(member, plan.axis);
        Direction& state = direction(member, colour, phase)[static_cast<std::size_t>(way)];
        const int sends = plan.sends(position, way);
        for (; state.sent < sends; ++state.sent) {
            const int step = plan.first_step(position, way) + state.sent;
            if (state.received < plan.needs(position, way, step)) {
                break;
            }
            send(member, plan.axis,
                 {colour, phase, way, neighbour(member, plan.axis, way),
                  plan.bytes[static_cast<std::size_t>(step - 1)].count()},
                 now);
        }
        return state.sent == sends && state.received == plan.receives(position, way);
    }

    /// The devices of a chip share its links: those of its first device stand for them.
    void send(int member, int axis, const Message& message, Picoseconds now)
    {
        const bool shared = schedule_.axes.front().torus_axis == NetworkAxis::on_chip && axis != 0;
        const int device = shared ? coordinate(member, 0) : 0;
        const std::size_t number =
            (static_cast<std::size_t>(axis) * 2 + static_cast<std::size_t>(message.way)) *
                static_cast<std::size_t>(members_) +
            static_cast<std::size_t>(member - device);
        Link& link = links_[number];
        const bool one_stream =
            schedule_.colours_are_chunks() || axis_of(number).torus_axis == NetworkAxis::on_chip;
        link.streams[(one_stream ? 0 : message.colour * 64) + device].push_back(message);
        if (!link.busy) {
            begin_packet(number, now);
        }
    }

    const NetworkAxis& axis_of(std::size_t link) const
    {
        return schedule_.axes[link / (2 * static_cast<std::size_t>(members_))];
    }

    /// Streams take turns by ascending number.
    void begin_packet(std::size_t number, Picoseconds now)
    {
        Link& link = links_[number];
        auto next = link.streams.upper_bound(link.served);
        next = next == link.streams.end() ? link.streams.begin() : next;
        link.served = next->first;
        Message& message = next->second.front();
        const std::int64_t bytes = std::min(message.left, axis_of(number).packet.count());
        message.left -= bytes;
        link.last = message;
        if (message.left == 0) {
            next->second.pop_front();
        }
        if (next->second.empty()) {
            link.streams.erase(next);
        }
        link.busy = true;
        post({now + to_picoseconds(
                        Seconds(static_cast<double>(bytes) / axis_of(number).bytes_per_second)),
              false, number});
    }

    void end_packet(std::size_t number, Picoseconds now)
    {
        Link& link = links_[number];
        if (link.last.left == 0) {
            post({now + axis_of(number).latency, true, number, link.last});
        }
        link.busy = false;
        if (!link.streams.empty()) {
            begin_packet(number, now);
        }
    }

    const CollectiveSchedule& schedule_;
    std::vector<std::vector<PhasePlan>> plans_;
    std::size_t phases_;
    int members_ = 1;
    std::vector<int> lengths_; ///< [axis]; 1 where one place stands for all
    std::vector<int> strides_;
    std::vector<Link> links_;                          ///< [axis][direction][chip]
    std::vector<int> progress_;                        ///< [colour][member]: phase
    std::vector<std::array<Direction, 2>> directions_; ///< [colour][phase][member]
    std::vector<Event> events_;                        ///< heap
};

} // namespace alxsim::model
