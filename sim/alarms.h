// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/collectives/moments.h"
#include "sim/own_process.h"

#include <cstdint>
#include <limits>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// Who sleeps until an alarm.
class Sleeper {
public:
    virtual void wake() = 0;

protected:
    ~Sleeper() = default;
};

/// Wakes the devices and memories of a slice. Each has one alarm; of those that ring at the same
/// time, the one that was added first is the first to wake. One event of SystemC's serves them all:
/// a moment of a large slice concerns few of them, and an event and a process for each are spread
/// over memory.
class Alarms : public sc_core::sc_module {
public:
    explicit Alarms(const sc_core::sc_module_name& name);

    /// The number of a new sleeper, which outlives the simulation.
    int add(Sleeper& sleeper);
    /// Wakes it at `time` (now at the earliest), and no more when it was to be before.
    void set(int sleeper, Picoseconds time);
    void clear(int sleeper) { sleepers_[static_cast<std::size_t>(sleeper)].time = never; }
    /// Wakes it at this moment, after all that goes on now. Its alarm stays as it is.
    void wake_soon(int sleeper);

private:
    static constexpr Picoseconds never{std::numeric_limits<std::int64_t>::max()};
    struct Bed {
        Sleeper* sleeper = nullptr;
        Picoseconds time = never; ///< of its alarm
        bool soon = false;        ///< it is among soon_
    };
    void ring();
    void wake_those_soon();
    void ring_first();
    bool first_is_void() const;

    std::vector<Bed> sleepers_;
    /// Rings for sleepers: those that have been set anew are void. Devices that are alike sleep
    /// until the same moments.
    model::Moments<int> rings_;
    std::vector<int> soon_;
    std::vector<int> now_;          ///< of those before, while they wake
    Picoseconds next_ring_ = never; ///< ring() comes then at the latest
    sc_core::sc_event next_;
    sc_core::sc_event after_this_;
    OwnProcess ringing_;
    OwnProcess waking_;
};

} // namespace alxsim::sim
