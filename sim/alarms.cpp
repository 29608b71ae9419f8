// SPDX-License-Identifier: Apache-2.0
#include "sim/alarms.h"

#include "sim/kernel_time.h"

#include <algorithm>

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
    rings_.push_back({time, sleeper});
    std::push_heap(rings_.begin(), rings_.end(), Later{});
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

Alarms::Ring Alarms::take_first()
{
    std::pop_heap(rings_.begin(), rings_.end(), Later{});
    const Ring first = rings_.back();
    rings_.pop_back();
    return first;
}

void Alarms::ring()
{
    next_ring_ = now(); // until all are awake
    while (!rings_.empty() && rings_.front().time <= now()) {
        const Ring first = take_first();
        if (!is_void(first)) {
            Bed& bed = sleepers_[static_cast<std::size_t>(first.sleeper)];
            bed.time = never;
            bed.sleeper->wake();
        }
    }
    while (!rings_.empty() && is_void(rings_.front())) {
        take_first();
    }
    next_ring_ = rings_.empty() ? never : rings_.front().time;
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
