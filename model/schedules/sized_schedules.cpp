// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/sized_schedules.h"

#include <algorithm>
#include <tuple>

namespace alxsim::model {
namespace {

/// By what of gather_order()'s order is a number: axes on a chip, and of other lengths or wraps,
/// have their places whatever the numbers.
bool comes_first(const NetworkAxis& a, const NetworkAxis& b)
{
    return is_torus(a) && is_torus(b) && a.length == b.length && a.wraps == b.wraps &&
           std::tie(a.latency, a.bytes_per_second) < std::tie(b.latency, b.bytes_per_second);
}

} // namespace

bool planned_alike(const std::vector<NetworkAxis>& some, const std::vector<NetworkAxis>& others)
{
    const auto shape = [](const NetworkAxis& one) {
        return std::tie(one.torus_axis, one.length, one.wraps, one.joins_slices, one.hops,
                        one.sharing);
    };
    if (some.size() != others.size()) {
        return false;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
        if (shape(some[i]) != shape(others[i])) {
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (comes_first(some[i], some[j]) != comes_first(others[i], others[j]) ||
                comes_first(some[j], some[i]) != comes_first(others[j], others[i])) {
                return false;
            }
        }
    }
    return true;
}

SizedSchedules::SizedSchedules(const Collective& collective, const topologies::Machine& machine)
    : collective_(collective),
      group_(group_of(collective, machine)),
      choices_(collective, group_, machine)
{
}

bool SizedSchedules::speaks_of(const Collective& other) const
{
    return other.kind == collective_.kind && other.dtype == collective_.dtype &&
           other.across_chips == collective_.across_chips && other.root == collective_.root &&
           other.group == collective_.group;
}

TimedSchedule SizedSchedules::schedule(Bytes bytes, const topologies::Machine& machine)
{
    const int number = group_.devices == 1 ? -1 : choices_.number_of(bytes);
    if (number < 0) {
        return {};
    }
    Planned& found = planned(number, machine);
    if (!found.plan) {
        return {};
    }
    for (const Sized& one : found.schedules) {
        if (one.bytes == bytes && one.network == networks_) {
            return {one.schedule, one.time};
        }
    }
    ++timed_;
    collective_.bytes = bytes;
    const XlaChoice& choice = choices_.choice(number);
    Sized* sized = idle(found.schedules);
    if (sized != nullptr) {
        sized->bytes = Bytes(0); // of none, should this throw
        found.run.bytes = bytes;
        set_planned_sizes(*found.plan, found.run, group_, *sized->schedule);
    } else if (found.schedules.size() < most_kept) {
        sized = &found.schedules.emplace_back();
        sized->schedule = new_schedule(*found.plan, choice);
    } else {
        const auto schedule = new_schedule(*found.plan, choice);
        return {schedule, closed_form_time(*schedule)};
    }
    sized->bytes = bytes;
    sized->network = networks_;
    sized->time = closed_form_time(*sized->schedule);
    return {sized->schedule, sized->time};
}

SizedSchedules::Sized* SizedSchedules::idle(std::vector<Sized>& schedules) const
{
    Sized* of_this_network = nullptr;
    for (Sized& one : schedules) {
        if (one.schedule.use_count() == 1 && one.network != networks_) {
            return &one;
        }
        of_this_network =
            one.schedule.use_count() == 1 && of_this_network == nullptr ? &one : of_this_network;
    }
    return of_this_network;
}

std::shared_ptr<CollectiveSchedule> SizedSchedules::new_schedule(const XlaPlan& plan,
                                                                 const XlaChoice& choice)
{
    auto schedule =
        std::make_shared<CollectiveSchedule>(planned_schedule(plan, collective_, group_, choice));
    for (const Colour& colour : schedule->colours) {
        phases_built_ += static_cast<std::int64_t>(colour.phases.size());
    }
    return schedule;
}

void SizedSchedules::use(const std::vector<NetworkAxis>& network)
{
    ++networks_;
    group_.axes = network;
    for (auto& [number, one] : planned_) {
        if (one.plan && one.plan->ring) {
            one.plan->ring->network = network;
        }
    }
}

SizedSchedules::Planned& SizedSchedules::planned(int choice, const topologies::Machine& machine)
{
    const auto found = std::find_if(planned_.begin(), planned_.end(),
                                    [choice](const auto& one) { return one.first == choice; });
    if (found != planned_.end()) {
        return found->second;
    }
    const ScheduleRequest request{collective_, machine, group_};
    const XlaChoice& chosen = choices_.choice(choice);
    planned_.push_back({choice, {xla_plan(request, chosen), run_as(collective_, chosen), {}}});
    return planned_.back().second;
}

} // namespace alxsim::model
