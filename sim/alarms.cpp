// SPDX-License-Identifier: Apache-2.0
#include "sim/alarms.h"

#include "sim/kernel_time.h"

#include <algorithm>
#include <utility>

namespace alxsim::sim {

Alarms::Alarms(const sc_core::sc_module_name& name) : sc_core::sc_module(name)
{
    SC_HAS_PROCESS(Alarms);
    SC_METHOD(ring);
    sensitive << next_;
    dont_initialize();
    ringing_.is_last_created();
    SC_METHOD(wake_those_soon);
    sensitive << after_this_;
    dont_initialize();
    waking_.is_last_created();
}

int Alarms::add(Sleeper& sleeper)
{
    sleepers_.push_back({&sleeper, never, false});
    return static_cast<int>(sleepers_.size()) - 1;
}

void Alarms::set(int sleeper, Picoseconds time)
{
    Bed& bed = sleepers_[static_cast<std::size_t>(sleeper)];
    if (time <= now()) {
        bed.time = never;
        wake_soon(sleeper);
        return;
    }
    if (bed.time == time) {
        return;
    }
    bed.time = time;
    rings_.post(time, sleeper);
    if (time < next_ring_) {
        next_ring_ = time;
        notify_at(next_, time);
    }
}

void Alarms::wake_soon(int sleeper)
{
    Bed& bed = sleepers_[static_cast<std::size_t>(sleeper)];
    if (!bed.soon) {
        bed.soon = true;
        soon_.push_back(sleeper);
        after_this_.notify(sc_core::SC_ZERO_TIME);
    }
}

/// Wakes those of the first moment that are not void, the first to be added first.
void Alarms::ring_first()
{
    const Picoseconds time = rings_.next();
    std::vector<int> moment = rings_.take();
    if (!std::is_sorted(moment.begin(), moment.end())) {
        std::sort(moment.begin(), moment.end());
    }
    for (const int sleeper : moment) {
        Bed& bed = sleepers_[static_cast<std::size_t>(sleeper)];
        if (bed.time == time) {
            bed.time = never;
            bed.sleeper->wake();
        }
    }
    rings_.reuse(std::move(moment));
}

bool Alarms::first_is_void() const
{
    const Picoseconds time = rings_.next();
    return std::all_of(rings_.first().begin(), rings_.first().end(), [&](int sleeper) {
        return sleepers_[static_cast<std::size_t>(sleeper)].time != time;
    });
}

void Alarms::ring()
{
    next_ring_ = now(); // until all are awake
    while (!rings_.empty() && rings_.next() <= now()) {
        ring_first();
    }
    while (!rings_.empty() && first_is_void()) {
        rings_.reuse(rings_.take());
    }
    next_ring_ = rings_.empty() ? never : rings_.next();
    if (!rings_.empty()) {
        notify_at(next_, next_ring_);
    }
}

void Alarms::wake_those_soon()
{
    now_.swap(soon_);
    std::sort(now_.begin(), now_.end());
    for (const int sleeper : now_) {
        Bed& bed = sleepers_[static_cast<std::size_t>(sleeper)];
        bed.soon = false;
        bed.sleeper->wake();
    }
    now_.clear();
}

} // namespace alxsim::sim
