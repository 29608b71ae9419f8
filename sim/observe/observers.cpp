// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/observers.h"

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

void Observers::leave_epoch(int epoch, Picoseconds time, const std::vector<std::string>& phases)
{
    if (++open(epoch).devices_that_left < devices_) {
        return;
    }
    for (Observer* observer : all_) {
        observer->epoch_closed({epoch, time, phases});
    }
    open_.erase(epoch);
    recent_epoch_ = 0;
}

} // namespace alxsim::sim
