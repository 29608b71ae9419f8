// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace alxsim::model {

/// What is to happen when, for collectives: members that are alike do at the same time what ends at
/// the same time, so there are far fewer moments than events. (Packets, of which each has a moment
/// of its own, have model/packets/event_calendar.h.)
template <class Event>
class Moments {
public:
    using Moment = std::vector<Event>;

    void post(Picoseconds time, const Event& event)
    {
        if (latest_ == nullptr || time != latest_time_) {
            latest_ = &moments_[time];
            latest_time_ = time;
            if (latest_->capacity() == 0 && !spare_.empty()) {
                *latest_ = std::move(spare_.back());
                spare_.pop_back();
            }
        }
        latest_->push_back(event);
    }

    bool empty() const { return moments_.empty(); }
    /// When the first happens. Not empty.
    Picoseconds next() const { return moments_.begin()->first; }

    const Moment& first() const { return moments_.begin()->second; }

    /// What `is_void(event)` will not happen.
    template <class IsVoid>
    void forget(IsVoid is_void)
    {
        latest_ = nullptr;
        for (auto moment = moments_.begin(); moment != moments_.end();) {
            Moment& events = moment->second;
            events.erase(std::remove_if(events.begin(), events.end(), is_void), events.end());
            moment = events.empty() ? moments_.erase(moment) : std::next(moment);
        }
    }

    /// Takes out what happens first, in the order in which it was posted.
    Moment take()
    {
        const auto first = moments_.begin();
        Moment result = std::move(first->second);
        if (latest_ == &first->second) {
            latest_ = nullptr;
        }
        moments_.erase(first);
        return result;
    }

    /// Gives the memory of a moment back.
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

} // namespace alxsim::model
