// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collective.h"
#include "sim/recorder.h"
#include "topologies/machine.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <systemc>
#include <vector>

namespace alxsim::sim {

/// What a device learns when a collective is over for it.
struct CollectiveDone {
    Picoseconds last_arrival{0}; ///< when the last member had arrived
    ActivityRef last_cause;      ///< what that member had waited for
};

/// Traffic of the whole slice.
struct NetworkUse {
    Bytes link_bytes{0};
    Bytes on_chip_bytes{0};
    Picoseconds link_busy{0}; ///< summed over directed links
    std::int64_t links = 0;   ///< directed
    std::int64_t messages = 0;
};

/// ICI links, on-chip paths and the collectives on them, message by message. A directed link sends
/// one message after another in the order in which they were ready; a message is usable at the
/// neighbour one link latency after its last byte left. Every device works through its own part of
/// the schedule as its messages arrive, so late members cost what they should and nobody waits for
/// a common start. The devices of a chip share the chip's links.
class Network : public sc_core::sc_module {
public:
    Network(const sc_core::sc_module_name& name, const topologies::Machine& machine);
    ~Network() override;

    /// `device` enters its next collective (the n-th call of every device is the same collective);
    /// it can send from `ready` on. `done` is called when the device has its result.
    void enter(int device, const model::CollectiveSchedule& schedule, Picoseconds arrival,
               Picoseconds ready, ActivityRef cause,
               std::function<void(const CollectiveDone&)> done);

    const NetworkUse& use() const { return use_; }

private:
    struct Prepared;
    struct Instance;
    struct Link {
        Picoseconds free{0};
    };
    /// A device enters, or a message arrives.
    struct Event {
        std::uint64_t rank = 0; ///< a Subject, packed
        Instance* instance = nullptr;
    };
    /// What the event is about. Packed, it says which of several at one moment comes first: the
    /// same on every device, whatever order their messages were sent in.
    struct Subject {
        bool message = false; ///< else the device enters
        int colour = 0;
        int phase = 0;
        int direction = 0;
        int device = 0;

        std::uint64_t packed() const
        {
            return static_cast<std::uint64_t>(message) << 63 |
                   static_cast<std::uint64_t>(colour) << 48 |
                   static_cast<std::uint64_t>(phase) << 40 |
                   static_cast<std::uint64_t>(direction) << 32 | static_cast<std::uint32_t>(device);
        }
        static Subject of(std::uint64_t packed)
        {
            return {(packed >> 63) != 0, static_cast<int>(packed >> 48 & 0xff),
                    static_cast<int>(packed >> 40 & 0xff), static_cast<int>(packed >> 32 & 0xff),
                    static_cast<int>(packed & 0xffffffff)};
        }
    };
    using Moment = std::vector<Event>;

    void deliver();
    void post(Picoseconds time, Instance& instance, const Subject& subject);
    void handle(const Event& event);
    void advance(Instance& instance, int device, int colour);
    bool send_what_is_ready(Instance& instance, int device, int colour, int phase, int direction);
    void send(Instance& instance, int device, int colour, int phase, int direction, int step);
    void finish_colour(Instance& instance, int device);
    const Prepared& prepared(const model::CollectiveSchedule& schedule);
    Instance& instance_for(int device, const model::CollectiveSchedule& schedule);

    int devices_;
    std::vector<model::NetworkAxis> axes_;
    std::vector<std::vector<int>> position_; ///< [axis][device]
    std::vector<std::vector<int>>
        neighbour_[2]; ///< [direction][axis][device], -1 at the end of a line
    std::vector<std::vector<Link>> links_[2]; ///< [direction][axis][chip]
    int devices_per_chip_;
    std::map<const model::CollectiveSchedule*, std::unique_ptr<Prepared>> prepared_;
    std::map<std::int64_t, std::unique_ptr<Instance>> instances_;
    std::vector<std::unique_ptr<Instance>> spare_;
    std::vector<std::int64_t> entered_; ///< per device, collectives entered
    /// What happens when: on a torus thousands of messages arrive at the same moment.
    std::map<Picoseconds, Moment> moments_;
    std::vector<Moment> spare_moments_;
    NetworkUse use_;
    sc_core::sc_event next_;
};

} // namespace alxsim::sim
