// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/timing.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "experiments/points/timing/collective_uses.h"
#include "experiments/points/timing/device_counters.h"
#include "experiments/points/trace/point_trace.h"
#include "model/collectives/collective.h"
#include "model/explain_op.h"
#include "model/graph/collective_json.h"
#include "model/job_estimate.h"
#include "sim/simulator.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace alxsim::experiments {

using topologies::Machine;

namespace {

/// Those between slices count as so many ICI links.
double directed_links(const Machine& machine)
{
    double links = 0;
    for (const topologies::Axis& axis : machine.slice.axes()) {
        if (axis.length > 1) {
            links += 2.0 * machine.slice.chips() / axis.length *
                     (axis.wraps ? axis.length : axis.length - 1) *
                     machine.network.nominal_links(axis);
        }
    }
    return links;
}

void finish(Timing& timing, const model::JobEstimate& job, const Machine& machine)
{
    timing.total = job.total();
    timing.epoch_ends.push_back(timing.total.total);
    set_link_use(timing, job.link_bytes(), machine);
}

/// The mean of an epoch, whole where it is.
Mean per_epoch(std::int64_t total, std::int64_t epochs)
{
    return total % epochs == 0 ? Mean(total / epochs)
                               : Mean(static_cast<double>(total) / static_cast<double>(epochs));
}

report::IciAxis axis_of(const sim::AxisUse& use, const Timing& timing,
                        const topologies::Slice& slice)
{
    const auto epochs = static_cast<std::int64_t>(timing.epoch_ends.size());
    const auto seconds = [&](Picoseconds busy) {
        return to_seconds(busy).count() / static_cast<double>(epochs);
    };
    report::IciAxis axis{slice.axis_name(use.axis),
                         use.direction > 0 ? "+" : "-",
                         use.links,
                         per_epoch(use.bytes.count(), epochs),
                         seconds(use.busy),
                         use.busy / timing.epoch_ends.back() / static_cast<double>(use.links),
                         {}};
    if (use.busiest > Picoseconds(0)) {
        std::vector<std::string> place;
        for (const int coordinate : slice.coordinates(use.busiest_chip)) {
            place.push_back(std::to_string(coordinate));
        }
        axis.busiest = {join(place, ","), per_epoch(use.busiest_bytes.count(), epochs),
                        seconds(use.busiest)};
    }
    return axis;
}

/// A collective and how often an epoch runs it. Those whose messages follow the data differ from
/// step to step: the largest stands for all.
struct AlikeCollectives {
    model::Op op;
    std::int64_t times = 0;
};

using Ranks = std::vector<std::vector<int>>;

Ranks ranks_of(const model::Collective& collective)
{
    return collective.ranks ? *collective.ranks : Ranks();
}

bool same_collective(const model::Op& a, const model::Op& b)
{
    const auto key = [](const model::Op& op) {
        const auto& work = std::get<model::Collective>(op.work);
        return std::tuple(op.phase, op.name, work.kind, work.messages ? Bytes(0) : work.bytes,
                          work.group, work.across_chips, work.messages != nullptr,
                          work.schedule.colours, work.schedule.directions, work.schedule.algorithm);
    };
    return key(a) == key(b) && ranks_of(std::get<model::Collective>(a.work)) ==
                                   ranks_of(std::get<model::Collective>(b.work));
}

Bytes bytes_of(const model::Op& op)
{
    return std::get<model::Collective>(op.work).bytes;
}

void collect(const CollectiveUse& use, std::vector<AlikeCollectives>& all)
{
    const auto found = std::find_if(all.begin(), all.end(), [&](const AlikeCollectives& alike) {
        return same_collective(alike.op, use.op);
    });
    AlikeCollectives& alike =
        found == all.end() ? all.emplace_back(AlikeCollectives{use.op, 0}) : *found;
    if (bytes_of(alike.op) < bytes_of(use.op)) {
        alike.op = use.op;
    }
    alike.times += use.times;
}

report::CollectiveSchedule schedule_of(const AlikeCollectives& alike, model::AnalyticModel& model)
{
    const auto& collective = std::get<model::Collective>(alike.op.work);
    model::Op alone;
    alone.work = collective;
    const model::OpExplanation explained = model::explain_op(alone, model);
    Picoseconds all{0};
    Picoseconds bandwidth{0};
    for (const model::TimePart& part : explained.parts) {
        all += part.time;
        bandwidth += part.mechanism == "link bandwidth" ? part.time : Picoseconds(0);
    }
    return {alike.op.phase,
            alike.op.name,
            model::name_of(collective.kind),
            collective.bytes.count(),
            alike.times,
            explained.schedule,
            to_seconds(all).count(),
            to_seconds(all - bandwidth).count(),
            explained.bound.count()};
}

std::vector<report::CollectiveSchedule> schedules_anew(const model::Program& epoch,
                                                       model::AnalyticModel& model)
{
    std::vector<AlikeCollectives> all;
    for_each_collective(epoch, model.machine(),
                        [&all](const CollectiveUse& use) { collect(use, all); });
    std::vector<report::CollectiveSchedule> schedules;
    for (const AlikeCollectives& alike : all) {
        schedules.push_back(schedule_of(alike, model));
    }
    return schedules;
}

} // namespace

Timing simulate(model::StepSource& source, const Machine& machine, PointTrace* trace)
{
    sim::Simulator simulator(machine);
    const sim::SimulationResult result = run_traced(simulator, source, trace);
    Timing timing;
    for (const sim::EpochTiming& epoch : result.epochs) {
        timing.total += epoch.breakdown;
        timing.epoch_ends.push_back(epoch.finish);
    }
    timing.link_bytes = result.network.link_bytes;
    timing.link_utilisation = result.link_utilisation;
    timing.network = result.network;
    for (const char* name : {"ops_executed", "network_messages", "hbm_bytes"}) {
        timing.counters.emplace_back(name, result.statistics.value(name));
    }
    timing.device_counters =
        device_counters_of(result.statistics, static_cast<std::int64_t>(timing.epoch_ends.size()));
    return timing;
}

Timing estimate_steps(model::StepSource& source, const Machine& machine)
{
    model::JobEstimate job(machine);
    job.tell_use();
    Timing timing;
    int epoch = 1;
    for (std::optional<model::Step> step = source.next(); step; step = source.next()) {
        if (step->epoch != epoch) {
            timing.epoch_ends.push_back(job.total().total);
            epoch = step->epoch;
        }
        job.add(*step);
    }
    finish(timing, job, machine);
    return timing;
}

Timing estimate_groups(const model::Program& groups, model::AnalyticModel& model)
{
    model::JobEstimate job(model);
    for (const model::StepGroup& group : groups) {
        job.add(group.step, group.times);
    }
    Timing timing;
    finish(timing, job, model.machine());
    return timing;
}

void set_link_use(Timing& timing, Bytes link_bytes, const Machine& machine)
{
    timing.link_bytes = link_bytes;
    const double links = directed_links(machine);
    const double seconds = to_seconds(timing.total.total).count();
    if (links > 0 && seconds > 0) {
        timing.link_utilisation = static_cast<double>(link_bytes.count()) /
                                  (links * machine.network.link_bytes_per_second * seconds);
    }
}

report::Ici ici_of(const Timing& timing, const Machine& machine)
{
    const auto epochs = static_cast<std::int64_t>(timing.epoch_ends.size());
    report::Ici ici;
    ici.bytes = per_epoch(timing.link_bytes.count(), epochs);
    ici.utilisation = timing.link_utilisation;
    if (!timing.network) {
        return ici;
    }
    const sim::NetworkUse& use = *timing.network;
    ici.axes.emplace();
    for (const sim::AxisUse& axis : use.axes) {
        ici.axes->push_back(axis_of(axis, timing, machine.slice));
    }
    ici.on_chip_bytes = per_epoch(use.on_chip_bytes.count(), epochs);
    ici.messages = per_epoch(use.messages, epochs);
    ici.message_hops = per_epoch(use.message_hops, epochs);
    if (use.messages > 0) {
        ici.hops_per_message =
            static_cast<double>(use.message_hops) / static_cast<double>(use.messages);
    }
    return ici;
}

std::vector<report::CollectiveSchedule> schedules_of(const model::Program& epoch,
                                                     model::AnalyticModel& model)
{
    const std::optional<CollectivesKey> key = collectives_key(epoch, model.machine());
    if (!key) {
        return schedules_anew(epoch, model);
    }
    static Memo<CollectivesKey, std::vector<report::CollectiveSchedule>> known(16);
    return known.get(*key, [&] { return schedules_anew(epoch, model); });
}

} // namespace alxsim::experiments
