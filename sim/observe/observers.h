// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/observer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::sim {

/// Those who look closely, as one: what they are told of that is not an activity or an interval.
class CloseObservers : public Observer {
public:
    void op_started(const OpRun& run) override;
    void hbm_moved(const HbmTransfer& transfer) override;
    void link_carried(const LinkTransfer& transfer) override;
    void collective_entered(const CollectiveMember& member) override;
    void collective_left(const CollectiveMember& member) override;

private:
    friend class Observers;
    std::vector<Observer*> all_;
};

/// All observers of a simulation. Numbers the activities of each epoch, and sees when the last
/// device has left one.
class Observers {
public:
    explicit Observers(int devices) : devices_(devices) {}

    /// `observer` outlives the simulation. All are attached before it is elaborated.
    void attach(Observer& observer);

    /// Null if nobody looks closely.
    Observer* looking_closely() { return close_.all_.empty() ? nullptr : &close_; }

    /// A device has finished an activity that `cause` let start.
    ActivityRef finished(const OpRun& run, const model::Activity& activity, ActivityRef cause)
    {
        const FinishedActivity told{run, next_in(run.epoch), cause, activity};
        for (Observer* observer : all_) {
            observer->finished(told);
        }
        return told.self;
    }
    /// A device leaves out iterations; `part.self` is not yet known.
    ActivityRef repeated(RepeatedPart part);
    void step_closed(const ClosedStep& step);
    /// A device has finished its last step of `epoch`; the last one closes it.
    /// `of_device`: told of it alone; `role`: its own, or no_role.
    void leave_epoch(const ClosedEpoch& of_device, int role);
    static constexpr int no_role = -1;

private:
    struct RoleUse {
        int devices = 0;
        model::DeviceUse most; ///< along axes; of all together what they waited
    };
    struct OpenEpoch {
        std::int64_t activities = 0;
        int devices_that_left = 0;
        std::map<int, RoleUse> roles; ///< of these
        Picoseconds time{0};          ///< when they left, together
    };

    model::DeviceUse use_of(const OpenEpoch& closed, Picoseconds end);
    OpenEpoch& open(int epoch)
    {
        if (epoch != recent_epoch_) {
            recent_epoch_ = epoch;
            recent_ = &open_[epoch];
        }
        return *recent_;
    }
    ActivityRef next_in(int epoch) { return {epoch, open(epoch).activities++}; }

    int devices_;
    Picoseconds ahead_{0}; ///< of the end of the last epoch, all devices together
    std::vector<Observer*> all_;
    CloseObservers close_;
    std::map<int, OpenEpoch> open_; ///< by epoch
    int recent_epoch_ = 0;          ///< the last one asked for, to find it without a search; or 0
    OpenEpoch* recent_ = nullptr;
};

} // namespace alxsim::sim
