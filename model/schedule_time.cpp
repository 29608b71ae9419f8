// SPDX-License-Identifier: Apache-2.0
#include "model/collective.h"
#include "model/phase_plan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace alxsim::model {
namespace {

/// A phase with what PhasePlan says of every position at hand.
struct PlannedPhase {
    struct Place {
        int sends = 0;
        int receives = 0;
        int first_step = 1;
    };

    explicit PlannedPhase(PhasePlan planned) : plan(std::move(planned))
    {
        for (int position = 0; position < plan.length; ++position) {
            for (const int way : {up, down}) {
                places.push_back({plan.sends(position, way), plan.receives(position, way),
                                  plan.first_step(position, way)});
            }
        }
    }

    const Place& place(int position, int way) const
    {
        return places[static_cast<std::size_t>(position * 2 + way)];
    }

    PhasePlan plan;
    std::vector<Place> places; ///< [position][direction]
};

/// What arrives: packed, it says which of several messages at one moment comes first, as in the
/// simulated network.
struct Arrival {
    int colour = 0;
    int phase = 0;
    int way = up;
    int member = 0;

    std::uint64_t packed() const
    {
        return static_cast<std::uint64_t>(colour) << 48 | static_cast<std::uint64_t>(phase) << 40 |
               static_cast<std::uint64_t>(way) << 32 | static_cast<std::uint32_t>(member);
    }
    static Arrival of(std::uint64_t packed)
    {
        return {static_cast<int>(packed >> 48), static_cast<int>(packed >> 40 & 0xff),
                static_cast<int>(packed >> 32 & 0xff), static_cast<int>(packed & 0xffffffff)};
    }
};

/// Messages on their way. Places that are alike send at the same time what arrives at the same
/// time, so there are far fewer moments than messages.
class Mail {
public:
    using Moment = std::vector<std::uint64_t>;

    void post(Picoseconds time, const Arrival& arrival)
    {
        if (latest_ == nullptr || time != latest_time_) {
            latest_ = &moments_[time];
            latest_time_ = time;
            if (latest_->capacity() == 0 && !spare_.empty()) {
                *latest_ = std::move(spare_.back());
                spare_.pop_back();
            }
        }
        latest_->push_back(arrival.packed());
    }

    bool empty() const { return moments_.empty(); }

    /// Takes out what arrives first, in order.
    std::pair<Picoseconds, Moment> next()
    {
        const auto first = moments_.begin();
        std::pair<Picoseconds, Moment> result{first->first, std::move(first->second)};
        if (latest_ == &first->second) {
            latest_ = nullptr;
        }
        moments_.erase(first);
        std::sort(result.second.begin(), result.second.end());
        return result;
    }

    void reuse(Moment moment)
    {
        moment.clear();
        spare_.push_back(std::move(moment));
    }

private:
    std::map<Picoseconds, Moment> moments_;
    Moment* latest_ = nullptr;
    Picoseconds latest_time_{0};
    std::vector<Moment> spare_;
};

/// Plays a schedule message by message on links that nobody else uses. All places of a ring behave
/// alike, so one stands for all of them and is its own neighbour; of a line every place counts.
class Replay {
public:
    explicit Replay(const CollectiveSchedule& schedule)
        : phases_(schedule.colours.front().phases.size())
    {
        for (std::vector<PhasePlan>& colour : plan_phases(schedule)) {
            for (PhasePlan& plan : colour) {
                plans_.emplace_back(std::move(plan));
            }
        }
        for (const NetworkAxis& axis : schedule.axes) {
            strides_.push_back(axis.wraps ? 0 : members_);
            members_ *= axis.wraps ? 1 : axis.length;
        }
        const auto members = static_cast<std::size_t>(members_);
        for (std::size_t axis = 0; axis < schedule.axes.size(); ++axis) {
            for (int member = 0; member < members_; ++member) {
                positions_.push_back(
                    strides_[axis] == 0 ? 0 : member / strides_[axis] % schedule.axes[axis].length);
            }
        }
        devices_per_chip_ = schedule.axes.front().torus_axis == NetworkAxis::on_chip
                                ? schedule.axes.front().length
                                : 1;
        links_free_.resize(schedule.axes.size() * 2 * members);
        progress_.resize(schedule.colours.size() * members);
        states_.resize(plans_.size() * members);
    }

    Picoseconds finish()
    {
        const int colours = static_cast<int>(plans_.size() / phases_);
        for (int member = 0; member < members_; ++member) {
            for (int colour = 0; colour < colours; ++colour) {
                advance(member, colour, Picoseconds(0));
            }
        }
        Picoseconds last(0);
        while (!mail_.empty()) {
            auto [time, moment] = mail_.next();
            for (const std::uint64_t packed : moment) {
                receive(Arrival::of(packed), time);
            }
            last = time;
            mail_.reuse(std::move(moment));
        }
        return last;
    }

private:
    struct Direction {
        int sent = 0;
        int received = 0;
    };
    using State = std::array<Direction, 2>;

    std::size_t index(int row, int member) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(members_) +
               static_cast<std::size_t>(member);
    }
    int plan_index(int colour, int phase) const
    {
        return colour * static_cast<int>(phases_) + phase;
    }

    void receive(const Arrival& arrival, Picoseconds now)
    {
        const int plan = plan_index(arrival.colour, arrival.phase);
        ++states_[index(plan, arrival.member)][static_cast<std::size_t>(arrival.way)].received;
        int& phase = progress_[index(arrival.colour, arrival.member)];
        if (phase != arrival.phase) {
            return;
        }
        // What came one way lets nothing more go the other way.
        if (send_what_is_ready(arrival.member, arrival.colour, phase, arrival.way, now) &&
            done(arrival.member, plan, arrival.way == up ? down : up)) {
            ++phase;
            advance(arrival.member, arrival.colour, now);
        }
    }

    void advance(int member, int colour, Picoseconds now)
    {
        int& phase = progress_[index(colour, member)];
        while (phase < static_cast<int>(phases_)) {
            const bool up_done = send_what_is_ready(member, colour, phase, up, now);
            const bool down_done = send_what_is_ready(member, colour, phase, down, now);
            if (!up_done || !down_done) {
                return;
            }
            ++phase;
        }
    }

    const PlannedPhase::Place& place(const PlannedPhase& planned, int member, int way) const
    {
        return planned.place(positions_[index(planned.plan.axis, member)], way);
    }

    bool done(int member, int plan, int way) const
    {
        const PlannedPhase::Place& here =
            place(plans_[static_cast<std::size_t>(plan)], member, way);
        const Direction& state = states_[index(plan, member)][static_cast<std::size_t>(way)];
        return state.sent == here.sends && state.received == here.receives;
    }

    bool send_what_is_ready(int member, int colour, int phase, int way, Picoseconds now)
    {
        const int row = plan_index(colour, phase);
        const PlannedPhase& planned = plans_[static_cast<std::size_t>(row)];
        const PhasePlan& plan = planned.plan;
        const int position = positions_[index(plan.axis, member)];
        const PlannedPhase::Place& here = planned.place(position, way);
        Direction& state = states_[index(row, member)][static_cast<std::size_t>(way)];
        if (state.sent < here.sends) {
            // The devices of a chip share its links: those of its first device stand for them.
            const int chip = member - member % devices_per_chip_;
            Picoseconds& free = links_free_[index(plan.axis * 2 + way, chip)];
            const int stride = strides_[static_cast<std::size_t>(plan.axis)];
            const int neighbour = way == up ? member + stride : member - stride;
            for (; state.sent < here.sends; ++state.sent) {
                const int step = here.first_step + state.sent;
                if (state.received < plan.needs(position, way, step)) {
                    break;
                }
                free = std::max(free, now) + plan.serialization[static_cast<std::size_t>(step - 1)];
                mail_.post(free + plan.latency, {colour, phase, way, neighbour});
            }
        }
        return state.sent == here.sends && state.received == here.receives;
    }

    std::size_t phases_;
    std::vector<PlannedPhase> plans_; ///< [colour][phase]
    int members_ = 1;
    int devices_per_chip_ = 1;
    std::vector<int> strides_;   ///< [axis]; 0 on a ring
    std::vector<int> positions_; ///< [axis][member]
    Mail mail_;
    std::vector<Picoseconds> links_free_; ///< [axis][direction][chip]
    std::vector<int> progress_;           ///< [colour][member]: phase
    std::vector<State> states_;           ///< [colour][phase][member]
};

} // namespace

Picoseconds schedule_time(const CollectiveSchedule& schedule)
{
    return schedule.axes.empty() ? Picoseconds(0) : Replay(schedule).finish();
}

} // namespace alxsim::model
