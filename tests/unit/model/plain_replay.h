// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collective.h"
#include "model/phase_plan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace alxsim::model {

/// The plain way to do what schedule_time does, for comparison. Plays a schedule message by message
/// on links that nobody else uses. All places of a ring behave alike, so one stands for all of them
/// and is its own neighbour; of a line every place counts.
class PlainReplay {
public:
    explicit PlainReplay(const CollectiveSchedule& schedule)
        : schedule_(schedule),
          plans_(plan_phases(schedule)),
          phases_(plans_.front().size())
    {
        for (const NetworkAxis& axis : schedule.axes) {
            strides_.push_back(members_);
            members_ *= axis.wraps ? 1 : axis.length;
        }
        links_free_.resize(schedule.axes.size() * 2 * static_cast<std::size_t>(members_));
        progress_.resize(plans_.size() * static_cast<std::size_t>(members_));
        directions_.resize(progress_.size() * phases_);
    }

    Picoseconds finish()
    {
        for (int member = 0; member < members_; ++member) {
            for (int colour = 0; colour < static_cast<int>(plans_.size()); ++colour) {
                advance(member, colour, Picoseconds(0));
            }
        }
        Picoseconds last(0);
        while (!arrivals_.empty()) {
            std::pop_heap(arrivals_.begin(), arrivals_.end(), Later{});
            const Arrival arrival = arrivals_.back();
            arrivals_.pop_back();
            last = arrival.time;
            ++direction(arrival.member, arrival.colour, arrival.phase)[arrival.direction].received;
            if (progress(arrival.member, arrival.colour) == arrival.phase) {
                advance(arrival.member, arrival.colour, arrival.time);
            }
        }
        return last;
    }

private:
    struct Direction {
        int sent = 0;
        int received = 0;
    };
    struct Arrival {
        Picoseconds time{0};
        std::uint8_t colour = 0;
        std::uint8_t phase = 0;
        std::uint8_t direction = 0;
        int member = 0;

        /// Which of several arrivals at one moment comes first, as in the simulated network.
        std::uint64_t rank() const
        {
            return static_cast<std::uint64_t>(colour) << 48 |
                   static_cast<std::uint64_t>(phase) << 40 |
                   static_cast<std::uint64_t>(direction) << 32 | static_cast<std::uint64_t>(member);
        }
    };
    struct Later {
        bool operator()(const Arrival& a, const Arrival& b) const
        {
            return a.time != b.time ? a.time > b.time : a.rank() > b.rank();
        }
    };

    int coordinate(int member, int axis) const
    {
        const NetworkAxis& along = schedule_.axes[static_cast<std::size_t>(axis)];
        return along.wraps ? 0 : member / strides_[static_cast<std::size_t>(axis)] % along.length;
    }

    int neighbour(int member, int axis, int direction) const
    {
        const auto index = static_cast<std::size_t>(axis);
        const int stride = schedule_.axes[index].wraps ? 0 : strides_[index];
        return direction == up ? member + stride : member - stride;
    }

    /// The devices of a chip share its links: those of its first device stand for them.
    Picoseconds& link_free(int member, int axis, int direction)
    {
        const bool chip_axis = schedule_.axes.front().torus_axis == NetworkAxis::on_chip;
        const int chip = chip_axis ? member - coordinate(member, 0) : member;
        const std::size_t link =
            (static_cast<std::size_t>(axis) * 2 + static_cast<std::size_t>(direction)) *
                static_cast<std::size_t>(members_) +
            static_cast<std::size_t>(chip);
        return links_free_[link];
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

    void advance(int member, int colour, Picoseconds now)
    {
        int& phase = progress(member, colour);
        while (phase < static_cast<int>(phases_)) {
            const bool up_done = send_what_is_ready(member, colour, phase, up, now);
            const bool down_done = send_what_is_ready(member, colour, phase, down, now);
            if (!up_done || !down_done) {
                return;
            }
            ++phase;
        }
    }

    bool send_what_is_ready(int member, int colour, int phase, int way, Picoseconds now)
    {
        const PhasePlan& plan =
            plans_[static_cast<std::size_t>(colour)][static_cast<std::size_t>(phase)];
        const int position = coordinate(member, plan.axis);
        Direction& state = direction(member, colour, phase)[static_cast<std::size_t>(way)];
        const int sends = plan.sends(position, way);
        for (; state.sent < sends; ++state.sent) {
            const int step = plan.first_step(position, way) + state.sent;
            if (state.received < plan.needs(position, way, step)) {
                break;
            }
            Picoseconds& free = link_free(member, plan.axis, way);
            free = std::max(free, now) + plan.serialization[static_cast<std::size_t>(step - 1)];
            arrivals_.push_back({free + plan.latency, static_cast<std::uint8_t>(colour),
                                 static_cast<std::uint8_t>(phase), static_cast<std::uint8_t>(way),
                                 neighbour(member, plan.axis, way)});
            std::push_heap(arrivals_.begin(), arrivals_.end(), Later{});
        }
        return state.sent == sends && state.received == plan.receives(position, way);
    }

    const CollectiveSchedule& schedule_;
    std::vector<std::vector<PhasePlan>> plans_;
    std::size_t phases_;
    int members_ = 1;
    std::vector<int> strides_;
    std::vector<Picoseconds> links_free_;              ///< [axis][direction][chip]
    std::vector<int> progress_;                        ///< [colour][member]: phase
    std::vector<std::array<Direction, 2>> directions_; ///< [colour][phase][member]
    std::vector<Arrival> arrivals_;                    ///< heap
};

} // namespace alxsim::model
