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
    PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                     const DeviceGrid& machine);

    int colours() const { return static_cast<int>(plans.size()); }
    int phases() const { return plans.empty() ? 0 : static_cast<int>(plans.front().size()); }
    bool takes_part(const model::PhasePlan& plan, int device) const;
    int count_sends(int device) const;

    std::shared_ptr<const model::CollectiveSchedule> schedule;
    /// Where devices stand on the schedule's axes: the machine's, unless it is for ranks.
    const DeviceGrid* grid = nullptr;
    std::unique_ptr<const DeviceGrid> ranks;
    std::vector<bool> bystanders; ///< [device]: in no group. Empty: all are in one
    bool in_chunks = false;       ///< its colours_are_chunks()
    std::vector<std::vector<model::PhasePlan>> plans; ///< [colour][phase]
    /// [device]: messages in chunks that it sends. Empty if it does not wait for them.
    std::vector<int> sends_in_chunks;
    std::vector<std::vector<int>> sends; ///< [device]: its routed messages
    std::vector<int> receives;           ///< [device]: how many of them
    /// [message]: how many it waits for, and which wait for it. Empty: all may leave at once.
    std::vector<std::int32_t> waits;
    std::vector<std::vector<int>> followers;
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
/// what they should and nobody waits for a common start. What is passed on in chunks from or to a
/// root has left a member's buffer only when it has arrived: until then the member stays. A root
/// that only sends would else be done at once, and fill the links with collectives far ahead of
/// what the others wait for.
class CollectiveRun {
public:
    void start(const PreparedSchedule& schedule);

    /// `device` may send from now on. True when that is all that it had to do.
    bool enter(int device, MessageCarrier& carrier);
    /// A message of `schedule` has arrived. Calls `finished(device)` for whom that was the last.
    template <class Finished>
    void receive(const CollectiveEvent& event, MessageCarrier& carrier, Finished finished)
    {
        if (schedule_->plans.empty()) {
            const model::PairMessage& message =
                schedule_->schedule->messages[static_cast<std::size_t>(event.subject)];
            send_followers(event.subject, carrier);
            for (const int device : {message.source, message.destination}) {
                if (one_done(device)) {
                    finished(device);
                }
            }
        } else {
            if (note_arrival(event) && advance(event.subject, event.colour, carrier) &&
                one_done(event.subject)) {
                finished(event.subject);
            }
            if (const int from = sender_in_chunks(event); from >= 0 && one_done(from)) {
                finished(from);
            }
        }
    }

private:
    struct Direction {
        std::int32_t sent = 0;
        std::int32_t received = 0;
    };

    void send_message(int number, MessageCarrier& carrier) const;
    void send_followers(int number, MessageCarrier& carrier);
    bool note_arrival(const CollectiveEvent& event);
    bool advance(int device, int colour, MessageCarrier& carrier);
    bool send_what_is_ready(int device, int colour, int phase, int direction,
                            MessageCarrier& carrier);
    /// Who sent the message of `event`, if it waits for its arrival; else -1.
    int sender_in_chunks(const CollectiveEvent& event) const
    {
        if (!schedule_->in_chunks) {
            return -1;
        }
        const model::PhasePlan& plan = schedule_->plans[static_cast<std::size_t>(event.colour)]
                                                       [static_cast<std::size_t>(event.phase)];
        return grid_->neighbour(plan.axis, model::opposite(event.direction), event.subject);
    }
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
    std::vector<std::int32_t>
        left_; ///< [device]: colours and sends in chunks; routed messages and the entry
    std::vector<std::int32_t> missing_;  ///< [message]: of those that it waits for
    std::vector<bool> entered_;          ///< [device]; where messages wait
    std::vector<std::int32_t> phase_of_; ///< [colour][device]; -1 before it has entered
    std::vector<std::array<Direction, 2>> directions_; ///< [colour][phase][device]
};

} // namespace alxsim::sim
