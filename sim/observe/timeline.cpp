// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/timeline.h"

#include "model/compiled_graph.h"
#include "model/critical_path.h"

#include <algorithm>

namespace alxsim::sim {
namespace {

std::int64_t index_of(const Timeline& timeline, ActivityRef activity)
{
    const TimelineActivity* const found = timeline.find(activity);
    return found == nullptr ? model::Activity::no_cause : found - timeline.activities.data();
}

/// As the recorder gives it to the critical path.
model::Activity for_path(const TimelineActivity& told, std::int32_t op, int phase,
                         std::int64_t cause)
{
    model::Activity activity;
    activity.start = told.start;
    activity.finish = told.finish;
    activity.launch = told.launch;
    activity.fill = told.fill;
    activity.cause = cause;
    activity.device = told.device;
    activity.op = op;
    activity.phase = static_cast<std::int16_t>(phase);
    activity.body = told.share;
    return activity;
}

model::CriticalPath path_of(const Timeline& timeline, model::PhaseNames& phases)
{
    model::CriticalPath path;
    for (const TimelineActivity& told : timeline.activities) {
        path.add(
            for_path(told, told.op, phases.index_of(told.phase), index_of(timeline, told.cause)));
        const std::int64_t since =
            told.is_loop() ? index_of(timeline, told.since) : model::Activity::no_cause;
        if (since != model::Activity::no_cause) {
            path.repeats(since, told.rounds, told.skip);
        }
    }
    return path;
}

void add_names(std::vector<model::Name>& names, const std::vector<model::Name>& more)
{
    for (const model::Name name : more) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
}

/// Adds work, `rounds` times over.
void add_work(RepeatedWork& sum, const RepeatedWork& more, std::int64_t rounds)
{
    for (const auto& [unit, work] : more.units) {
        RepeatedWork::OfUnit& of_unit = sum.units[unit];
        add_names(of_unit.names, work.names);
        of_unit.ops += work.ops * rounds;
        of_unit.busy += work.busy * rounds;
    }
    sum.waited += more.waited * rounds;
    sum.communicating += more.communicating * rounds;
}

RepeatedWork work_of(const TimelineActivity& done)
{
    RepeatedWork work;
    work.units[done.unit] = {{done.name}, 1, done.busy};
    if (done.is_collective()) {
        work.waited = done.waited();
        work.communicating = done.finish - done.start;
    }
    return work;
}

} // namespace

const TimelineActivity* Timeline::find(ActivityRef activity) const
{
    const auto found = std::lower_bound(
        activities.begin(), activities.end(), activity,
        [](const TimelineActivity& one, ActivityRef other) { return one.self < other; });
    return found != activities.end() && found->self == activity ? &*found : nullptr;
}

std::vector<CriticalSpan> critical_path(const Timeline& timeline)
{
    model::PhaseNames phases;
    const model::CriticalPath path = path_of(timeline, phases);
    std::vector<CriticalSpan> spans;
    for (const model::PathSpan& span : path.spans(timeline.begin())) {
        CriticalSpan told;
        told.activity = &timeline.activities[static_cast<std::size_t>(span.activity)];
        told.phase = phases.names()[static_cast<std::size_t>(span.phase)];
        told.share = span.share;
        told.begin = span.begin;
        told.end = span.end;
        if (span.repeated) {
            told.repeated = span.repeated->named(phases.names());
        }
        spans.push_back(std::move(told));
    }
    return spans;
}

/// A device is at rest when an iteration begins, so what it finished between two beginnings is what
/// it did in between.
std::map<ActivityRef, RepeatedWork> repeated_work(const Timeline& timeline)
{
    std::map<int, std::vector<const TimelineActivity*>> of_device;
    std::map<ActivityRef, RepeatedWork> all;
    for (const TimelineActivity& told : timeline.activities) {
        std::vector<const TimelineActivity*>& before = of_device[told.device];
        if (told.is_loop()) {
            RepeatedWork& work = all[told.self];
            for (auto at = before.rbegin(); at != before.rend() && told.since < (*at)->self; ++at) {
                const TimelineActivity& done = **at;
                add_work(work, done.is_loop() ? all.at(done.self) : work_of(done), told.rounds);
            }
        }
        before.push_back(&told);
    }
    return all;
}

} // namespace alxsim::sim
