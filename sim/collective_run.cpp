// SPDX-License-Identifier: Apache-2.0
#include "sim/collective_run.h"

#include <algorithm>

namespace alxsim::sim {

using model::down;
using model::up;

namespace {

bool goes_to_neighbours(const model::CollectiveSchedule& schedule, const model::AxisPhase& phase)
{
    const model::NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
    return !(axis.wraps && axis.length <= 2) && !axis.joins_slices && phase.members == 0 &&
           phase.only_at.empty() && !model::has_origin(phase.exchange) &&
           phase.exchange != model::Exchange::shift;
}

bool hangs_on_all_members(const model::CollectiveSchedule& schedule)
{
    return schedule.messages.empty() && !schedule.ranks && !schedule.colours.empty() &&
           schedule.group.size() == schedule.axes.size() &&
           std::all_of(schedule.colours.begin(), schedule.colours.end(),
                       [&](const model::Colour& colour) {
                           return !colour.phases.empty() &&
                                  std::all_of(colour.phases.begin(), colour.phases.end(),
                                              [&](const model::AxisPhase& phase) {
                                                  return goes_to_neighbours(schedule, phase);
                                              });
                       });
}

} // namespace

PreparedSchedule::PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                                   const DeviceGrid& machine)
    : schedule(std::move(of)),
      grid(&machine),
      in_chunks(schedule->colours_are_chunks()),
      planned(*schedule),
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
    hangs_on_all = hangs_on_all_members(*schedule);
    if (in_chunks) {
        for (int device = 0; device < machine.devices(); ++device) {
            sends_in_chunks.push_back(count_sends(device));
        }
    }
}

int PreparedSchedule::count_sends(int device) const
{
    int count = 0;
    if (stands_by(device)) {
        return count;
    }
    for (const model::PlannedPhase& phase : planned.plans) {
        if (model::takes_part(phase.plan, *grid, device)) {
            const int position = grid->position(phase.plan.axis, device);
            count += phase.place(position, up).sends + phase.place(position, down).sends;
        }
    }
    return count;
}

void CollectiveRun::start(const PreparedSchedule& schedule)
{
    schedule_ = &schedule;
    const int devices = schedule.grid->devices();
    left_.assign(static_cast<std::size_t>(devices), schedule.planned.colours);
    for (int device = 0; device < devices; ++device) {
        const auto which = static_cast<std::size_t>(device);
        if (schedule.stands_by(device)) {
            left_[which] = 1;
        } else if (schedule.routed()) {
            left_[which] = static_cast<std::int32_t>(schedule.sends[which].size()) +
                           schedule.receives[which] + 1;
        } else if (schedule.in_chunks) {
            left_[which] += schedule.sends_in_chunks[which];
        }
    }
    progress_.start(schedule.planned, *schedule.grid, devices);
    missing_ = schedule.waits;
    entered_.assign(missing_.empty() ? 0 : static_cast<std::size_t>(devices), false);
}

bool CollectiveRun::enter(int device, MessageCarrier& carrier)
{
    if (schedule_->routed()) {
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
    if (schedule_->stands_by(device)) {
        return one_done(device);
    }
    bool finished = false;
    for (int complete = progress_.enter(device, sender(carrier)); complete > 0; --complete) {
        finished = one_done(device);
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

} // namespace alxsim::sim
