// SPDX-License-Identifier: Apache-2.0
#include "experiments/search.h"

#include "base/input_error.h"
#include "base/mix64.h"
#include "base/portable_math.h"
#include "experiments/registration/workloads.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

constexpr const char* place = "/search";
constexpr int default_points = 20;

/// In [0, 1).
double uniform(std::uint64_t key)
{
    return static_cast<double>(mix64(key) >> 11) * 0x1.0p-53;
}

/// The ends of a list of positive numbers.
std::pair<double, double> range_of(const std::string& pointer, const Json& values,
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

std::vector<Json> draws(const Study& study, const Json& search)
{
    const std::uint64_t seed = study.document.value("seed", std::uint64_t{1});
    const int points = search.value("points", default_points);
    std::vector<Json> all;
    for (int i = 0; i < points; ++i) {
        Json candidate = Json::object();
        std::uint64_t dimension = 0;
        for (const auto& [pointer, values] : search.at("over").items()) {
            const auto [low, high] = range_of(pointer, values, study.file);
            const double share =
                uniform(mix64(seed) ^ mix64(static_cast<std::uint64_t>(i)) ^ (++dimension << 32));
            candidate[pointer] = low * portable::pow(high / low, share);
        }
        all.push_back(std::move(candidate));
    }
    return all;
}

/// Throws InputError for a workload without metrics to choose by.
const workloads::SearchRules& rules_of(const Study& study)
{
    const workloads::Kind& kind = workload_kinds().kind_of(study.document, study.file);
    if (!kind.search) {
        throw InputError(study.file, place,
                         "found a search, but the workload " + kind.name +
                             " has no metric to choose by");
    }
    return *kind.search;
}

/// Throws InputError for a metric of another workload.
std::string figure_of(const Study& study)
{
    const std::vector<std::string>& metrics = rules_of(study).metrics;
    const std::string figure = study.document.at("search").value("maximize", metrics.front());
    if (std::find(metrics.begin(), metrics.end(), figure) == metrics.end()) {
        throw InputError(study.file, std::string(place) + "/maximize",
                         "found " + figure + "; allowed: " + join(metrics));
    }
    return figure;
}

/// Of the last evaluated epoch; null where the point failed or has none.
Json figure_in(const Json& point, const std::string& figure)
{
    if (!point.contains("quality") || point.at("quality").empty()) {
        return nullptr;
    }
    return point.at("quality").back().value(figure, Json());
}

} // namespace

std::vector<Json> search_candidates(const Study& study)
{
    const Json& search = study.document.at("search");
    if (!search.contains("over") || search.at("over").empty()) {
        throw InputError(study.file, place,
                         "says nothing to search over; needed is over, like "
                         "{\"/workload/...\": [1e-4, 1e-3]}");
    }
    const workloads::SearchRules& rules = rules_of(study);
    if (!study.document.value("numerics", true) ||
        !study.document.contains(Json::json_pointer(rules.needs))) {
        throw InputError(study.file, place,
                         "chooses by " + join(rules.metrics, " or ") +
                             " on data that training does not see: it needs numerics and " +
                             rules.needs);
    }
    figure_of(study);
    return search.value("kind", "grid") == "random" ? draws(study, search)
                                                    : combinations(search.at("over"));
}

std::vector<PointSpec> search_points(const Study& study, const std::vector<Json>& candidates)
{
    Study base = study;
    for (const char* field : {"search", "series", "sweep", "hypotheses", "export"}) {
        base.document.erase(field);
    }
    base.document["fidelity"] = "analytic";
    for (const auto& [pointer, value] : rules_of(study).validation.items()) {
        base.document[Json::json_pointer(pointer)] = value;
    }
    std::vector<PointSpec> points;
    for (const Json& candidate : candidates) {
        Study one = base;
        set_values(one, candidate);
        PointSpec point = expand(one).front();
        point.series = "search";
        point.sweep = candidate;
        points.push_back(std::move(point));
    }
    return points;
}

Json search_result(const Study& study, const std::vector<Json>& candidates,
                   const std::vector<PointResult>& results)
{
    const std::string figure = figure_of(study);
    Json list = Json::array();
    int best = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Json reached = figure_in(results[i].point, figure);
        list.push_back({{"values", candidates[i]}, {figure, reached}});
        const bool better =
            reached.is_number() &&
            (best < 0 || reached > list.at(static_cast<std::size_t>(best)).at(figure));
        best = better ? static_cast<int>(i) : best;
    }
    if (best < 0) {
        throw InputError(study.file, std::string(place) + "/maximize",
                         "found " + figure + ", which no candidate has; allowed are " +
                             join(rules_of(study).metrics) +
                             ", of data that leaves some to validate on");
    }
    return {{"kind", study.document.at("search").value("kind", "grid")},
            {"maximize", figure},
            {"candidates", list},
            {"best", best}};
}

Study with_best(const Study& study, const Json& search)
{
    Study tuned = study;
    set_values(tuned,
               search.at("candidates").at(search.at("best").get<std::size_t>()).at("values"));
    return tuned;
}

} // namespace alxsim::experiments
