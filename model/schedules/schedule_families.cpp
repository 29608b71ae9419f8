// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_families.h"

#include "model/schedules/one_ring.h"
#include "model/schedules/rank_schedules.h"
#include "model/schedules/ring_schedules.h"
#include "model/schedules/routed_schedule.h"
#include "model/schedules/spread_schedules.h"
#include "model/schedules/xla_schedule.h"

namespace alxsim::model {
namespace {

/// Phases along the axes of a group.
bool goes_along_axes(const ScheduleRequest& request)
{
    return request.group && !request.is_routed() &&
           request.collective.kind != CollectiveKind::permute;
}

bool is_free(const Collective& collective)
{
    return collective.schedule.colours == 0 && collective.schedule.directions == 0;
}

/// Whether rings run it as a reduce-scatter and an all-gather.
bool adds_up(CollectiveKind kind)
{
    return kind == CollectiveKind::all_reduce || has_root(kind);
}

std::vector<CollectiveSchedule> routed(const ScheduleRequest& request)
{
    CollectiveSchedule schedule =
        routed_schedule(request.collective, *request.group, request.machine);
    return {schedule.messages.empty() ? nothing_to_do(request.collective, *request.group)
                                      : std::move(schedule)};
}

} // namespace

bool ScheduleRequest::is_routed() const
{
    return collective.messages || (collective.kind == CollectiveKind::all_to_all &&
                                   (machine.slice.twisted() ||
                                    collective.schedule.algorithm == ScheduleAlgorithm::routed));
}

const std::vector<ScheduleFamily>& schedule_families()
{
    using Request = ScheduleRequest;
    static const std::vector<ScheduleFamily> families{
        {"rings", goes_along_axes,
         [](const Request& r) { return ring_schedules(r.collective, *r.group); }},
        {"one_part_after_the_other",
         [](const Request& r) { return goes_along_axes(r) && adds_up(r.collective.kind); },
         [](const Request& r) { return one_part_after_the_other(r.collective, *r.group); }},
        {"one_ring", [](const Request& r) { return goes_along_axes(r) && is_free(r.collective); },
         [](const Request& r) { return one_ring_schedules(r.collective, *r.group, r.machine); }},
        {"of the TPU compiler",
         [](const Request& r) { return goes_along_axes(r) && is_free(r.collective); },
         xla_structures, true},
        {"gather_and_add",
         [](const Request& r) {
             return goes_along_axes(r) && r.collective.kind == CollectiveKind::all_reduce &&
                    is_free(r.collective);
         },
         [](const Request& r) {
             return std::vector<CollectiveSchedule>{gather_and_add(r.collective, *r.group)};
         }},
        {"spread",
         [](const Request& r) {
             return goes_along_axes(r) && has_root(r.collective.kind) && !r.machine.slice.twisted();
         },
         [](const Request& r) {
             return r.by_closed_form
                        ? std::vector{quickest_spreading_schedule(r.collective, *r.group)}
                        : spreading_schedules(r.collective, *r.group);
         }},
        {"shift",
         [](const Request& r) {
             return r.group && !r.is_routed() && r.collective.kind == CollectiveKind::permute;
         },
         [](const Request& r) {
             return std::vector<CollectiveSchedule>{shift(r.collective, *r.group)};
         }},
        {"routed", [](const Request& r) { return r.group && r.is_routed(); }, routed},
        {"ranks", [](const Request& r) { return !r.group; },
         [](const Request& r) { return rank_schedules(r.collective, r.machine); }},
    };
    return families;
}

} // namespace alxsim::model
