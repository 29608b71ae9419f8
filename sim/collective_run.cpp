// SPDX-License-Identifier: Apache-2.0
#include "sim/collective_run.h"

#include <algorithm>
#include <map>
#include <utility>

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

} // namespace

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

PreparedSchedule::PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                                   int devices_that_tell)
    : schedule(std::move(of)),
      groups(1),
      group_of(static_cast<std::size_t>(devices_that_tell), 0),
      planned(*schedule),
      hangs_on_all(hangs_on_all_members(*schedule))
{
    for (int device = 0; device < devices_that_tell; ++device) {
        groups.front().push_back(device);
    }
}

PreparedSchedule::PreparedSchedule(std::shared_ptr<const model::CollectiveSchedule> of,
                                   const model::DeviceGrid& machine)
    : schedule(std::move(of)),
      grid(&machine),
      in_chunks(schedule->colours_are_chunks()),
      planned(*schedule),
      sends(static_cast<std::size_t>(machine.devices())),
      receives(static_cast<std::size_t>(machine.devices()))
{
    if (schedule->ranks) {
        ranks = std::make_unique<const model::DeviceGrid>(*schedule, machine);
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
    if (!routed() && !in_chunks && schedule->kind != model::CollectiveKind::permute) {
        find_groups();
    }
    hangs_on_all = hangs_on_all_members(*schedule);
    if (in_chunks) {
        for (int device = 0; device < machine.devices(); ++device) {
            sends_in_chunks.push_back(count_sends(device));
        }
    }
}

/// Devices that differ in no axis but those that a group spans.
void PreparedSchedule::find_groups()
{
    std::map<std::vector<int>, int> numbers; // by the positions that the members share
    const model::CollectiveSchedule& of = *schedule;
    if (of.ranks) {
        groups = of.ranks->groups;
        group_of.assign(static_cast<std::size_t>(grid->devices()), -1);
        for (std::size_t group = 0; group < groups.size(); ++group) {
            for (const int device : groups[group]) {
                group_of[static_cast<std::size_t>(device)] = static_cast<int>(group);
            }
        }
        return;
    }
    for (int device = 0; device < grid->devices(); ++device) {
        std::vector<int> shared;
        for (int axis = 0; axis < static_cast<int>(of.axes.size()); ++axis) {
            const bool spans = std::find(of.group.begin(), of.group.end(), axis) != of.group.end();
            shared.push_back(spans ? 0 : grid->position(axis, device));
        }
        const int next = static_cast<int>(numbers.size());
        group_of.push_back(numbers.emplace(std::move(shared), next).first->second);
        groups.resize(numbers.size());
        groups[static_cast<std::size_t>(group_of.back())].push_back(device);
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
    in_first_part_.clear();
    for (const std::vector<int>& group : schedule.groups) {
        in_first_part_.push_back(static_cast<std::int32_t>(group.size()));
    }
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
    const int complete = progress_.enter(device, sender(carrier));
    return complete > 0 && some_done(device, complete);
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
