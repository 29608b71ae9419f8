// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/search.h"

#include "base/input_error.h"
#include "base/numbers/mix64.h"
#include "base/portable_math.h"
#include "workloads/registry.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alxsim::experiments {
namespace {

constexpr const char* place = "/search";

/// In [0, 1).
double uniform(std::uint64_t key)
{
    return static_cast<double>(mix64(key) >> 11) * 0x1.0p-53;
}

/// The ends of a list of positive numbers.
std::pair<double, double> range_of(const std::string& pointer, const std::vector<Json>& values,
                                   const std::string& file)
{
    double low = HUGE_VAL;
    double high = 0;
    for (const Json& value : values) {
        const double number = value.is_number() ? value.get<double>() : 0;
        if (number <= 0) {
            throw InputError(file, std::string(place) + "/over" + pointer,
                             "found " + value.dump() +
                                 "; allowed for a random search: numbers > 0, of which the "
                                 "smallest and the largest bound the draws");
        }
        low = std::min(low, number);
        high = std::max(high, number);
    }
    return {low, high};
}

std::vector<Settings> draws(const SearchRequest& search, std::uint64_t seed,
                            const std::string& file)
{
    std::vector<Settings> all;
    for (int i = 0; i < search.points; ++i) {
        Settings candidate;
        std::uint64_t dimension = 0;
        for (const auto& [pointer, values] : search.over) {
            const auto [low, high] = range_of(pointer, values, file);
            const double share =
                uniform(mix64(seed) ^ mix64(static_cast<std::uint64_t>(i)) ^ (++dimension << 32));
            candidate.set(pointer, low * portable::pow(high / low, share));
        }
        all.push_back(std::move(candidate));
    }
    return all;
}

/// Throws InputError for a workload without metrics to choose by.
const workloads::SearchRules& rules_of(const Study& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    if (!kind.search) {
        throw InputError(study.file, place,
                         "found a search, but the workload " + kind.name +
                             " has no metric to choose by");
    }
    return *kind.search;
}

/// Those of the workload, then the study's own.
std::vector<std::string> metrics_of(const Study& study)
{
    const workloads::SearchRules& rules = rules_of(study);
    std::vector<std::string> metrics = rules.metrics;
    for (const Json& name :
         study.document.value(Json::json_pointer(rules.further_metrics), Json::array())) {
        if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) {
            metrics.push_back(name.get<std::string>());
        }
    }
    return metrics;
}

/// The pointers whose best value is the least or the greatest of three numbers or more: of two, one
/// always is.
std::vector<std::string> edges_of(const SweptValues& over, const Settings& best)
{
    std::vector<std::string> edges;
    for (const auto& [pointer, values] : over) {
        const auto is_number = [](const Json& value) { return value.is_number(); };
        if (values.size() < 3 || !std::all_of(values.begin(), values.end(), is_number)) {
            continue;
        }
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        const Json& chosen = *best.find(pointer);
        if (chosen == *least || chosen == *most) {
            edges.push_back(pointer);
        }
    }
    return edges;
}

} // namespace

std::vector<Settings> search_candidates(const Study& study)
{
    const SearchRequest& search = *study.search;
    if (search.over.empty()) {
        throw InputError(study.file, place,
                         "says nothing to search over; needed is over, like "
                         "{\"/workload/...\": [1e-4, 1e-3]}");
    }
    const workloads::SearchRules& rules = rules_of(study);
    const PointStudy point = single_point(study);
    if (!point.numerics || !point.document.contains(Json::json_pointer(rules.needs))) {
        throw InputError(study.file, place,
                         "chooses by " + join(metrics_of(study), " or ") +
                             " on data that training does not see: it needs numerics and " +
                             rules.needs);
    }
    searched_metric(study);
    return search.kind == "random" ? draws(search, point.seed, study.file)
                                   : combinations(Sweep::product(search.over));
}

std::vector<PointSpec> search_points(const Study& study, const std::vector<Settings>& candidates)
{
    std::vector<PointSpec> points;
    for (const Settings& candidate : candidates) {
        Settings values{{"/fidelity", name_of(Fidelity::analytic)}};
        values.set(rules_of(study).validation);
        values.set(candidate);
        points.push_back({"search", candidate, single_point(study, values)});
    }
    return points;
}

std::string searched_metric(const Study& study)
{
    const std::vector<std::string> metrics = metrics_of(study);
    const std::string metric = study.search->maximize.value_or(metrics.front());
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
        throw InputError(study.file, std::string(place) + "/maximize",
                         "found " + metric + "; allowed: " + join(metrics));
    }
    return metric;
}

std::optional<double> reached_in(const Study& study, const report::Point& point,
                                 const std::string& metric)
{
    const auto is_spoilt = rules_of(study).is_spoilt;
    if (point.result && is_spoilt != nullptr && is_spoilt(point.result->results)) {
        return std::nullopt;
    }
    const report::Quality* const kept =
        point.result ? report::final_quality(*point.result) : nullptr;
    return kept != nullptr ? kept->metric(metric) : std::nullopt;
}

report::SearchOutcome search_outcome(const Study& study, const std::vector<Settings>& candidates,
                                     const std::vector<PointResult>& results)
{
    const std::string figure = searched_metric(study);
    report::SearchOutcome outcome{study.search->kind, figure, {}, 0};
    std::optional<double> best;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const report::Point& point = results[i].point;
        const std::optional<double> reached = reached_in(study, point, figure);
        outcome.candidates.push_back({candidates[i], {{figure, reached}}});
        if (point.result && point.result->kept_interval) {
            outcome.candidates.back().reached.emplace_back(report::kept_interval,
                                                           *point.result->kept_interval);
        }
        if (reached && (!best || *reached > *best)) {
            best = reached;
            outcome.best = i;
        }
    }
    if (!best) {
        throw InputError(
            study.file, std::string(place) + "/maximize",
            "found " + figure +
                ", which no candidate has, or none that learned anything; allowed are " +
                join(metrics_of(study)) + ", of data that leaves some to validate on");
    }
    if (outcome.kind == "grid") {
        outcome.at_edge = edges_of(study.search->over, outcome.best_candidate().values);
    }
    return outcome;
}

} // namespace alxsim::experiments
