// SPDX-License-Identifier: Apache-2.0
#include "sim/collective_run.h"

#include <algorithm>

namespace alxsim::sim {

using model::down;
using model::PhasePlan;
using model::up;

PreparedSchedule::PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                                   const DeviceGrid& machine)
    : schedule(std::move(of)),
      grid(&machine),
      in_chunks(schedule->colours_are_chunks()),
      plans(model::plan_phases(*schedule)),
      sends(static_cast<std::size_t>(machine.devices())),
      receives(static_cast<std::size_t>(machine.devices()))
{
    if (schedule->ranks) {
        ranks = std::make_unique<const DeviceGrid>(*schedule, machine);
        grid = ranks.get();
        for (int device = 0; device < machine.devices(); ++device) {
            bystanders.push_back(grid->position(0, device) < 0);
        }
    }
    for (std::size_t i = 0; i < schedule->messages.size(); ++i) {
        const model::PairMessage& message = schedule->messages[i];
        sends[static_cast<std::size_t>(message.source)].push_back(static_cast<int>(i));
        ++receives[static_cast<std::size_t>(message.destination)];
    }
    waits.resize(schedule->messages_after.size());
    followers.resize(schedule->messages_after.size());
    for (std::size_t i = 0; i < waits.size(); ++i) {
        waits[i] = static_cast<std::int32_t>(schedule->messages_after[i].size());
        for (const int before : schedule->messages_after[i]) {
            followers[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
        }
    }
    if (in_chunks) {
        for (int device = 0; device < machine.devices(); ++device) {
            sends_in_chunks.push_back(count_sends(device));
        }
    }
}

int PreparedSchedule::count_sends(int device) const
{
    int count = 0;
    if (!bystanders.empty() && bystanders[static_cast<std::size_t>(device)]) {
        return count;
    }
    for (const std::vector<PhasePlan>& colour : plans) {
        for (const PhasePlan& plan : colour) {
            if (takes_part(plan, device)) {
                const int position = grid->position(plan.axis, device);
                count += plan.sends(position, up) + plan.sends(position, down);
            }
        }
    }
    return count;
}

bool PreparedSchedule::takes_part(const PhasePlan& plan, int device) const
{
    return std::all_of(plan.only_at.begin(), plan.only_at.end(),
                       [&](const model::AxisPosition& at) {
                           return grid->position(at.axis, device) == at.position;
                       });
}

void CollectiveRun::start(const PreparedSchedule& schedule)
{
    const DeviceGrid& grid = *schedule.grid;
    schedule_ = &schedule;
    grid_ = &grid;
    phases_ = schedule.phases();
    const auto devices = static_cast<std::size_t>(grid.devices());
    const auto colours = static_cast<std::size_t>(schedule.colours());
    left_.assign(devices, schedule.colours());
    for (std::size_t device = 0; device < schedule.sends_in_chunks.size(); ++device) {
        left_[device] += schedule.sends_in_chunks[device];
    }
    for (std::size_t device = 0; device < schedule.bystanders.size(); ++device) {
        left_[device] = schedule.bystanders[device] ? 1 : left_[device];
    }
    if (colours == 0) {
        for (std::size_t device = 0; device < devices; ++device) {
            left_[device] = static_cast<std::int32_t>(schedule.sends[device].size()) +
                            schedule.receives[device] + 1;
        }
    }
    missing_ = schedule.waits;
    entered_.assign(missing_.empty() ? 0 : devices, false);
    phase_of_.assign(colours * devices, -1);
    directions_.assign(colours * static_cast<std::size_t>(phases_) * devices, {});
}

bool CollectiveRun::enter(int device, MessageCarrier& carrier)
{
    if (schedule_->plans.empty()) {
        if (!entered_.empty()) {
            entered_[static_cast<std::size_t>(device)] = true;
        }
        for (const int number : schedule_->sends[static_cast<std::size_t>(device)]) {
            if (missing_.empty() || missing_[static_cast<std::size_t>(number)] == 0) {
                send_message(number, carrier);
            }
        }
        return one_done(device);
    }
    if (!schedule_->bystanders.empty() && schedule_->bystanders[static_cast<std::size_t>(device)]) {
        return one_done(device);
    }
    for (int colour = 0; colour < schedule_->colours(); ++colour) {
        phase_of(colour, device) = 0;
    }
    bool finished = false;
    for (int colour = 0; colour < schedule_->colours(); ++colour) {
        finished = (advance(device, colour, carrier) && one_done(device)) || finished;
    }
    return finished;
}

void CollectiveRun::send_message(int number, MessageCarrier& carrier) const
{
    const model::PairMessage& message =
        schedule_->schedule->messages[static_cast<std::size_t>(number)];
    carrier.carry(message.source, message.destination, -1, message.bytes,
                  {CollectiveEvent::What::message, 0, 0, 0, number});
}

/// Message `number` has come: those that waited for it alone may leave, if their source is there.
void CollectiveRun::send_followers(int number, MessageCarrier& carrier)
{
    if (missing_.empty()) {
        return;
    }
    for (const int follower : schedule_->followers[static_cast<std::size_t>(number)]) {
        const auto which = static_cast<std::size_t>(follower);
        const int source = schedule_->schedule->messages[which].source;
        if (--missing_[which] == 0 && entered_[static_cast<std::size_t>(source)]) {
            send_message(follower, carrier);
        }
    }
}

/// True if the device can make something of it now.
bool CollectiveRun::note_arrival(const CollectiveEvent& event)
{
    ++direction_of(event.colour, event.phase, event.subject, event.direction).received;
    return phase_of(event.colour, event.subject) == event.phase;
}

/// True when the device has done its last phase of the colour.
bool CollectiveRun::advance(int device, int colour, MessageCarrier& carrier)
{
    const std::vector<PhasePlan>& plans = schedule_->plans[static_cast<std::size_t>(colour)];
    std::int32_t& phase = phase_of(colour, device);
    while (phase < phases_) {
        if (schedule_->takes_part(plans[static_cast<std::size_t>(phase)], device)) {
            const bool up_done = send_what_is_ready(device, colour, phase, up, carrier);
            const bool down_done = send_what_is_ready(device, colour, phase, down, carrier);
            if (!up_done || !down_done) {
                return false;
            }
        }
        ++phase;
    }
    return true;
}

bool CollectiveRun::send_what_is_ready(int device, int colour, int phase, int direction,
                                       MessageCarrier& carrier)
{
    const PhasePlan& plan =
        schedule_->plans[static_cast<std::size_t>(colour)][static_cast<std::size_t>(phase)];
    const int position = grid_->position(plan.axis, device);
    Direction& state = direction_of(colour, phase, device, direction);
    const int sends = plan.sends(position, direction);
    while (state.sent < sends) {
        const int step = plan.first_step(position, direction) + state.sent;
        if (state.received < plan.needs(position, direction, step)) {
            break;
        }
        const int to = grid_->neighbour(plan.axis, direction, device);
        carrier.carry(device, to, plan.axis, plan.bytes[static_cast<std::size_t>(step - 1)],
                      {CollectiveEvent::What::message, colour, phase, direction, to});
        ++state.sent;
    }
    return state.sent == sends && state.received == plan.receives(position, direction);
}

} // namespace alxsim::sim
