// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/phase_plan.h"
#include "sim/device_grid.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::sim {

/// What happens in a collective. Packed, it says which of several at one moment comes first: the
/// same on every device, whatever order their messages were sent in.
struct CollectiveEvent {
    enum class What : std::uint8_t { entry, message, finish };

    What what = What::entry;
    int colour = 0; ///< of a message, with phase and direction; else 0
    int phase = 0;
    int direction = 0;
    int subject = 0; ///< the device; of a routed message its number

    std::uint64_t packed() const
    {
        return static_cast<std::uint64_t>(what) << 62 | static_cast<std::uint64_t>(colour) << 46 |
               static_cast<std::uint64_t>(phase) << 38 |
               static_cast<std::uint64_t>(direction) << 32 | static_cast<std::uint32_t>(subject);
    }
    static CollectiveEvent of(std::uint64_t packed)
    {
        return {static_cast<What>(packed >> 62), static_cast<int>(packed >> 46 & 0xffff),
                static_cast<int>(packed >> 38 & 0xff), static_cast<int>(packed >> 32 & 0x3f),
                static_cast<int>(packed & 0xffffffff)};
    }
};

/// A schedule with everything about it that does not change from run to run.
struct PreparedSchedule {
    PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of, const DeviceGrid& grid);

    int colours() const { return static_cast<int>(plans.size()); }
    int phases() const { return plans.empty() ? 0 : static_cast<int>(plans.front().size()); }
    bool takes_part(const model::PhasePlan& plan, const DeviceGrid& grid, int device) const;

    std::shared_ptr<const model::CollectiveSchedule> schedule;
    bool in_chunks = false;                           ///< its colours_are_chunks()
    std::vector<std::vector<model::PhasePlan>> plans; ///< [colour][phase]
    std::vector<std::vector<int>> sends;              ///< [device]: its routed messages
    std::vector<int> receives;                        ///< [device]: how many of them
};

/// Carries messages of collectives.
class MessageCarrier {
public:
    virtual ~MessageCarrier() = default;
    /// `event` happens to `to` when the message is there. `along`: to a neighbour on that network
    /// axis; -1: wherever it is.
    virtual void carry(int from, int to, int along, Bytes bytes, const CollectiveEvent& event) = 0;
};

/// How far every device is in one collective. Has no clock: driven by entries and arrivals. A
/// device works through its own part of the schedule as its messages arrive, so late members cost
/// what they should and nobody waits for a common start.
class CollectiveRun {
public:
    void start(const PreparedSchedule& schedule, const DeviceGrid& grid);

    /// `device` may send from now on. True when that is all that it had to do.
    bool enter(int device, MessageCarrier& carrier);
    /// A message of `schedule` has arrived. Calls `finished(device)` for whom that was the last.
    template <class Finished>
    void receive(const CollectiveEvent& event, MessageCarrier& carrier, Finished finished)
    {
        if (schedule_->plans.empty()) {
            const model::PairMessage& message =
                schedule_->schedule->messages[static_cast<std::size_t>(event.subject)];
            for (const int device : {message.source, message.destination}) {
                if (one_done(device)) {
                    finished(device);
                }
            }
        } else if (note_arrival(event) && advance(event.subject, event.colour, carrier) &&
                   one_done(event.subject)) {
            finished(event.subject);
        }
    }

private:
    struct Direction {
        std::int32_t sent = 0;
        std::int32_t received = 0;
    };

    bool note_arrival(const CollectiveEvent& event);
    bool advance(int device, int colour, MessageCarrier& carrier);
    bool send_what_is_ready(int device, int colour, int phase, int direction,
                            MessageCarrier& carrier);
    bool one_done(int device) { return --left_[static_cast<std::size_t>(device)] == 0; }

    std::size_t row(int index, int device) const
    {
        return static_cast<std::size_t>(index) * left_.size() + static_cast<std::size_t>(device);
    }
    std::int32_t& phase_of(int colour, int device) { return phase_of_[row(colour, device)]; }
    Direction& direction_of(int colour, int phase, int device, int direction)
    {
        return directions_[row(colour * phases_ + phase, device)]
                          [static_cast<std::size_t>(direction)];
    }

    const PreparedSchedule* schedule_ = nullptr;
    const DeviceGrid* grid_ = nullptr;
    int phases_ = 0;
    std::vector<std::int32_t> left_;     ///< [device]: colours, or routed messages and the entry
    std::vector<std::int32_t> phase_of_; ///< [colour][device]; -1 before it has entered
    std::vector<std::array<Direction, 2>> directions_; ///< [colour][phase][device]
};

} // namespace alxsim::sim
