// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/what_ifs.h"

#include "base/input_error.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/timing/path_uses.h"
#include "experiments/points/uncertainty/uncertainty.h"
#include "model/collectives/collective.h"
#include "model/estimate.h"
#include "model/job_estimate.h"
#include "model/uncertainty.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <set>

namespace alxsim::experiments {
namespace {

const std::string overrides = "/machine/overrides/";

/// Preset values that together are one property of a machine, and what makes it twice as good.
struct Property {
    std::string name;
    double factor;
    std::vector<const char*> keys;
};

/// Adds the ways below HBM that an epoch takes.
void add_paths(const RebuiltPoint& point, std::vector<Property>& properties)
{
    std::set<std::string> taken; // by the tier that is not the host's
    for (const report::PathUse& path : path_uses(point.epoch(), 1, point.machine()).paths) {
        taken.insert(path.from == "host" ? path.to : path.from);
    }
    if (taken.count("hbm") != 0) {
        properties.push_back({"PCIe of twice the rate", 2, {"pcie_bw_chip_oneway"}});
    }
    if (taken.count("storage") != 0) {
        properties.push_back({"storage that reads at twice the rate", 2, {"storage_read_bw"}});
        properties.push_back({"storage that writes at twice the rate", 2, {"storage_write_bw"}});
    }
    if (taken.count("host") != 0 || taken.count("storage") != 0) {
        properties.push_back({"host memory of twice the rate", 2, {"host_dram_bw_host"}});
    }
}

std::vector<Property> properties_of(const topologies::Machine& machine)
{
    const char* const gather =
        machine.device.sparsecore_gathers ? "sparsecore_gather_row_s" : "gather_row_s";
    return {{"half the cost of a gathered row", 0.5, {gather}},
            {"half the cost of a scattered row or window",
             0.5,
             {"scatter_row_s", "window_scatter_latency_s"}},
            {"links of twice the bandwidth", 2, {"ici_link_bw_oneway"}},
            {"half the hop latency", 0.5, {"ici_hop_latency_s"}},
            {"half the launch time of a collective", 0.5, {"collective_launch_s"}},
            {"twice the HBM bandwidth", 2, {"hbm_bw_chip", "dma_bw_core"}},
            {"an MXU of twice the rate", 2, {"macs_per_cycle_chip"}},
            {"a VPU of twice the rate", 2, {"vpu_alus_per_sublane_lane", "vmem_load_bw_core"}},
            {"half the overhead of ops and loops", 0.5, {"op_overhead_s", "while_iteration_s"}},
            {"half the dispatch time of a step", 0.5, {"step_dispatch_s", "program_overhead_s"}}};
}

/// Nothing where the machine has none of it, so that there is nothing to make better.
std::optional<Change> change_of(const Property& property, const topologies::Machine& machine)
{
    Change change{property.name, {}};
    for (const char* key : property.keys) {
        const Json& value = machine.preset.at(key).value;
        const double better = property.factor * value.get<double>();
        if (better > 0) {
            change.set.set(overrides + key,
                           value.is_number_integer() ? Json(std::llround(better)) : Json(better));
            change.factors.set(overrides + key, property.factor > 1 ? "x2" : "x0.5");
        }
    }
    if (change.set.empty()) {
        return std::nullopt;
    }
    return change;
}

/// The times of a point's epoch and of what its changes make of it. What they have in common is
/// compiled, and its schedules are chosen, once.
class Estimates {
public:
    /// `machine`: the point's own, which outlives this.
    explicit Estimates(const topologies::Machine& machine)
        : machine_(machine),
          network_(model::network_axes(machine)),
          model_(machine, times)
    {
    }

    double seconds(const model::Program& epoch, const topologies::Machine& machine)
    {
        // The model keeps no schedules of two networks.
        if (machine.schedule != machine_.schedule || model::network_axes(machine) != network_) {
            return in_seconds(model::estimate(epoch, machine, times));
        }
        model_.use(machine);
        return in_seconds(model::estimate(epoch, model_));
    }

private:
    // As a report's analytic points: closed forms of schedules would be other figures than its own.
    static constexpr model::ScheduleTimes times = model::ScheduleTimes::exact;

    static double in_seconds(const model::Breakdown& estimated)
    {
        return to_seconds(estimated.total).count();
    }

    const topologies::Machine& machine_;
    std::vector<model::NetworkAxis> network_;
    model::AnalyticModel model_;
};

/// An epoch under a change, or why there is none.
struct Changed {
    std::optional<double> seconds;
    bool fits = true; ///< else: does not go with the other choices
};

Changed changed_epoch(const RebuiltPoint& point, const Change& change, Estimates& estimates)
{
    const PointStudy study = changed(point.study, change.set);
    if (change.machine_only) {
        topologies::Machine machine = machine_of(study.machine, study.file);
        machine.host.input = point.machine().host.input;
        return {estimates.seconds(point.epoch(), machine)};
    }
    try {
        const RebuiltPoint other = rebuild(study);
        return other.fits ? Changed{estimates.seconds(other.epoch(), other.machine())}
                          : Changed{std::nullopt, false};
    } catch (const InputError&) {
        return {};
    }
}

/// The sweet spot of the points that fit; none for fewer than two.
std::optional<SpotPlace> spot_of(const std::vector<report::CoreTime>& curve)
{
    if (curve.size() < 2) {
        return std::nullopt;
    }
    const report::SweetSpot spot = report::sweet_spot_of(curve);
    return SpotPlace{spot.cores, spot.at_edge};
}

/// A curve under a change; `base` as it is. Says whether the change matters.
bool try_change(const Change& change, const std::vector<RebuiltPoint>& curve,
                std::deque<Estimates>& estimates, const WhatIfs& base, Outcome& outcome)
{
    outcome.name = change.name;
    outcome.set = change.set;
    std::vector<report::CoreTime> times;
    double influence = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const std::int64_t cores = curve[i].machine().cores;
        const Changed epoch = changed_epoch(curve[i], change, estimates[i]);
        outcome.seconds.push_back(epoch.seconds);
        if (!epoch.seconds) {
            (epoch.fits ? outcome.refused : outcome.does_not_fit).push_back(cores);
        } else {
            times.push_back({cores, *epoch.seconds});
            influence = std::max(influence, std::abs(*epoch.seconds / base.seconds[i] - 1));
        }
    }
    if (outcome.seconds.back()) {
        outcome.ratio_of_last = *outcome.seconds.back() / base.seconds.back();
    }
    outcome.sweet_spot = spot_of(times);
    return influence >= least_influence || times.size() < curve.size() ||
           outcome.sweet_spot != base.sweet_spot;
}

} // namespace

std::vector<Change> changes_of(const RebuiltPoint& point)
{
    std::vector<Change> changes;
    std::vector<Property> properties = properties_of(point.machine());
    add_paths(point, properties);
    for (const Property& property : properties) {
        if (const std::optional<Change> change = change_of(property, point.machine())) {
            changes.push_back(*change);
        }
    }
    if (point.machine().schedule == topologies::ScheduleChoice::xla) {
        Change change{"the fastest collectives known in place of those that the TPU compiler runs",
                      {}};
        change.set.set("/machine/schedule", "fastest");
        changes.push_back(std::move(change));
    }
    if (point.machine().faults.count > 0) {
        Change change{"no faults: cores, links and memory as the preset says", {}};
        change.set.set("/machine/faults", Json::array());
        changes.push_back(std::move(change));
    }
    for (const workloads::Alternative& alternative : point.job.workload->alternatives()) {
        changes.push_back(
            {alternative.name, alternative.set, {}, false, alternative.is_told_by_runs});
    }
    return changes;
}

void add_worlds(WhatIfs& what_ifs, const RebuiltPoint& last)
{
    constexpr int worlds = 128;
    const std::vector<double> base = drawn_seconds(last.study, worlds);
    const std::vector<Change> changes = changes_of(last);
    for (Outcome& outcome : what_ifs.ranked) {
        if (!outcome.ratio_of_last) {
            continue;
        }
        const Change& change =
            *std::find_if(changes.begin(), changes.end(),
                          [&](const Change& one) { return one.name == outcome.name; });
        Settings set;
        for (const auto& [pointer, value] : change.set) {
            const bool relative = change.factors.contains(pointer) &&
                                  !last.study.document.contains(Json::json_pointer(pointer));
            set.set(pointer, relative ? *change.factors.find(pointer) : value);
        }
        std::vector<double> ratios = drawn_seconds(changed(last.study, set), worlds);
        std::transform(ratios.begin(), ratios.end(), base.begin(), ratios.begin(),
                       std::divides<>());
        outcome.ratio_in_worlds =
            RatioBand{model::quantile_of(ratios, 0.05), model::quantile_of(ratios, 0.5),
                      model::quantile_of(ratios, 0.95)};
    }
}

WhatIfs what_ifs(const std::vector<RebuiltPoint>& curve)
{
    return what_ifs(curve, changes_of(curve.at(0)));
}

WhatIfs what_ifs(const std::vector<RebuiltPoint>& curve, const std::vector<Change>& changes)
{
    WhatIfs result;
    std::vector<report::CoreTime> times;
    std::deque<Estimates> estimates; // of each point
    for (const RebuiltPoint& point : curve) {
        estimates.emplace_back(point.machine());
        times.push_back(
            {point.machine().cores, estimates.back().seconds(point.epoch(), point.machine())});
        result.cores.push_back(times.back().cores);
        result.seconds.push_back(times.back().seconds);
    }
    result.sweet_spot = spot_of(times);
    for (const Change& change : changes) {
        Outcome outcome;
        if (try_change(change, curve, estimates, result, outcome)) {
            result.ranked.push_back(std::move(outcome));
        } else {
            result.without_influence.push_back(change.name);
        }
    }
    const auto ratio = [](const Outcome& outcome) { return outcome.ratio_of_last.value_or(1e9); };
    std::stable_sort(result.ranked.begin(), result.ranked.end(),
                     [&](const Outcome& a, const Outcome& b) { return ratio(a) < ratio(b); });
    return result;
}

} // namespace alxsim::experiments
