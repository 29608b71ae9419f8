// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/observers.h"

#include <algorithm>

namespace alxsim::sim {

// --- Close observers

void CloseObservers::op_started(const OpRun& run)
{
    for (Observer* observer : all_) {
        observer->op_started(run);
    }
}

void CloseObservers::hbm_moved(const HbmTransfer& transfer)
{
    for (Observer* observer : all_) {
        observer->hbm_moved(transfer);
    }
}

void CloseObservers::link_carried(const LinkTransfer& transfer)
{
    for (Observer* observer : all_) {
        observer->link_carried(transfer);
    }
}

void CloseObservers::collective_entered(const CollectiveMember& member)
{
    for (Observer* observer : all_) {
        observer->collective_entered(member);
    }
}

void CloseObservers::collective_left(const CollectiveMember& member)
{
    for (Observer* observer : all_) {
        observer->collective_left(member);
    }
}

// --- All of them

void Observers::attach(Observer& observer)
{
    all_.push_back(&observer);
    if (observer.looks_closely()) {
        close_.all_.push_back(&observer);
    }
}

ActivityRef Observers::repeated(RepeatedPart part)
{
    part.self = next_in(part.run.epoch);
    for (Observer* observer : all_) {
        observer->repeated(part);
    }
    return part.self;
}

void Observers::step_closed(const ClosedStep& step)
{
    for (Observer* observer : all_) {
        observer->step_closed(step);
    }
}

void Observers::leave_epoch(const ClosedEpoch& of_device, int role)
{
    OpenEpoch& left = open(of_device.epoch);
    RoleUse& in = left.roles[role];
    ++in.devices;
    in.most.take_most_of_axes(of_device.use);
    in.most.bubble += of_device.use.bubble;
    in.most.late_peer += of_device.use.late_peer;
    left.time += of_device.time;
    if (++left.devices_that_left < devices_) {
        return;
    }
    const model::DeviceUse use = use_of(left, of_device.time);
    for (Observer* observer : all_) {
        observer->epoch_closed({of_device.epoch, of_device.time, of_device.phases, use});
    }
    open_.erase(of_device.epoch);
    recent_epoch_ = 0;
}

model::DeviceUse Observers::use_of(const OpenEpoch& closed, Picoseconds end)
{
    model::DeviceUse sum;
    for (const auto& [role, use] : closed.roles) {
        model::DeviceUse axes = use.most;
        axes.bubble = axes.late_peer = Picoseconds(0);
        sum.add(axes, use.devices);
        sum.bubble += use.most.bubble;
        sum.late_peer += use.most.late_peer;
    }
    if (closed.roles.count(no_role) == 0) {
        // What devices went ahead with the next epoch is no time that they wait in this one.
        const Picoseconds ahead = end * devices_ - closed.time;
        sum.bubble = std::max(Picoseconds(0), sum.bubble + ahead - ahead_);
        ahead_ = ahead;
    }
    return sum.mean_of(devices_);
}

} // namespace alxsim::sim
