// SPDX-License-Identifier: Apache-2.0
#include "experiments/explain/what_ifs.h"

#include "base/input_error.h"
#include "experiments/machine_request.h"
#include "experiments/uncertainty/uncertainty.h"
#include "model/job_estimate.h"
#include "model/uncertainty.h"
#include "report/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace alxsim::experiments {
namespace {

const std::string overrides = "/machine/overrides/";

/// Preset values that together are one property of a machine, and what makes it twice as good.
struct Property {
    std::string name;
    double factor;
    std::vector<const char*> keys;
};

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
    Change change{property.name, Json::object()};
    for (const char* key : property.keys) {
        const Json& value = machine.preset.at(key).value;
        const double better = property.factor * value.get<double>();
        if (better > 0) {
            change.set[overrides + key] =
                value.is_number_integer() ? Json(std::llround(better)) : Json(better);
            change.factors[overrides + key] = property.factor > 1 ? "x2" : "x0.5";
        }
    }
    if (change.set.empty()) {
        return std::nullopt;
    }
    return change;
}

double estimated_seconds(const model::Program& epoch, const topologies::Machine& machine)
{
    // As a report's analytic points: closed forms of schedules would be other figures than its own.
    return to_seconds(model::estimate(epoch, machine, model::ScheduleTimes::exact).total).count();
}

/// An epoch under a change, or why there is none.
struct Changed {
    std::optional<double> seconds;
    std::string obstacle; ///< "does_not_fit"; "refused": does not go with the other choices
};

Changed changed_epoch(const RebuiltPoint& point, const Change& change, const std::string& file)
{
    Json study = point.study;
    for (const auto& [pointer, value] : change.set.items()) {
        study[Json::json_pointer(pointer)] = value;
    }
    if (change.machine_only) {
        return {estimated_seconds(point.epoch(), machine_of(study, file)), ""};
    }
    try {
        const RebuiltPoint changed = rebuild(study, file);
        return changed.fits ? Changed{estimated_seconds(changed.epoch(), changed.machine()), ""}
                            : Changed{std::nullopt, "does_not_fit"};
    } catch (const InputError&) {
        return {std::nullopt, "refused"};
    }
}

/// The sweet spot of the points that fit, as the report has it, without gains; null for fewer than
/// two.
Json sweet_spot_json(const std::vector<report::CoreTime>& curve)
{
    if (curve.size() < 2) {
        return nullptr;
    }
    const report::SweetSpot spot = report::sweet_spot_of(curve);
    Json json{{"cores", spot.cores}};
    if (!spot.at_edge.empty()) {
        json["at_edge"] = spot.at_edge;
    }
    return json;
}

/// A curve under a change; `base` as it is.
Json outcome_of(const Change& change, const std::vector<RebuiltPoint>& curve, const Json& base,
                const std::string& file)
{
    Json outcome{{"name", change.name}, {"set", change.set}, {"seconds", Json::array()}};
    std::vector<report::CoreTime> times;
    double influence = 0;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const auto [seconds, obstacle] = changed_epoch(curve[i], change, file);
        outcome["seconds"].push_back(seconds ? Json(*seconds) : Json());
        if (!seconds) {
            outcome[obstacle].push_back(curve[i].machine().cores);
        } else {
            times.push_back({curve[i].machine().cores, *seconds});
            influence = std::max(influence,
                                 std::abs(*seconds / base.at("seconds").at(i).get<double>() - 1));
        }
    }
    if (!outcome.at("seconds").back().is_null()) {
        outcome["ratio_of_last"] =
            outcome.at("seconds").back().get<double>() / base.at("seconds").back().get<double>();
    }
    outcome["sweet_spot"] = sweet_spot_json(times);
    outcome["matters"] = influence >= least_influence || times.size() < curve.size() ||
                         outcome.at("sweet_spot") != base.at("sweet_spot");
    return outcome;
}

} // namespace

std::vector<Change> changes_of(const RebuiltPoint& point)
{
    std::vector<Change> changes;
    for (const Property& property : properties_of(point.machine())) {
        if (const std::optional<Change> change = change_of(property, point.machine())) {
            changes.push_back(*change);
        }
    }
    for (const workloads::Alternative& alternative : point.job.workload->alternatives()) {
        changes.push_back({alternative.name, alternative.set, {}, false});
    }
    return changes;
}

void add_worlds(Json& what_ifs, const RebuiltPoint& last, const std::string& file)
{
    constexpr int worlds = 128;
    const std::vector<double> base = drawn_seconds(last.study, file, worlds);
    const std::vector<Change> changes = changes_of(last);
    for (Json& outcome : what_ifs.at("ranked")) {
        if (!outcome.contains("ratio_of_last")) {
            continue;
        }
        const Change& change =
            *std::find_if(changes.begin(), changes.end(),
                          [&](const Change& one) { return one.name == outcome.at("name"); });
        Json study = last.study;
        for (const auto& [pointer, value] : change.set.items()) {
            const Json::json_pointer place(pointer);
            const bool relative = change.factors.contains(pointer) && !study.contains(place);
            study[place] = relative ? change.factors.at(pointer) : value;
        }
        std::vector<double> ratios = drawn_seconds(study, file, worlds);
        std::transform(ratios.begin(), ratios.end(), base.begin(), ratios.begin(),
                       std::divides<>());
        outcome["ratio_in_worlds"] = {{"low", model::quantile_of(ratios, 0.05)},
                                      {"median", model::quantile_of(ratios, 0.5)},
                                      {"high", model::quantile_of(ratios, 0.95)}};
    }
}

Json what_ifs(const std::vector<RebuiltPoint>& curve, const std::string& file)
{
    Json result{{"cores", Json::array()}, {"seconds", Json::array()}};
    std::vector<report::CoreTime> times;
    for (const RebuiltPoint& point : curve) {
        times.push_back({point.machine().cores, estimated_seconds(point.epoch(), point.machine())});
        result["cores"].push_back(times.back().cores);
        result["seconds"].push_back(times.back().seconds);
    }
    result["sweet_spot"] = sweet_spot_json(times);
    result["without_influence"] = Json::array();
    std::vector<Json> ranked;
    for (const Change& change : changes_of(curve.at(0))) {
        Json outcome = outcome_of(change, curve, result, file);
        if (outcome.at("matters").get<bool>()) {
            outcome.erase("matters");
            ranked.push_back(std::move(outcome));
        } else {
            result["without_influence"].push_back(change.name);
        }
    }
    const auto ratio = [](const Json& outcome) { return outcome.value("ratio_of_last", 1e9); };
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](const Json& a, const Json& b) { return ratio(a) < ratio(b); });
    result["ranked"] = ranked;
    return result;
}

} // namespace alxsim::experiments
