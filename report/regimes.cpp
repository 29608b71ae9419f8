// SPDX-License-Identifier: Apache-2.0
#include "report/regimes.h"

#include "report/fit.h"
#include "report/series.h"

#include <algorithm>
#include <string>

namespace alxsim::report {
namespace {

Json to_json(const Fit& fit)
{
    Json json{{"a_over_n", fit.a_over_n}, {"constant", fit.constant}};
    if (fit.log) {
        json["log"] = *fit.log;
    }
    json["per_core"] = fit.per_core;
    json["r2"] = fit.r2;
    json["largest_residual"] = fit.largest_residual;
    return json;
}

/// The names of all phases, in the order in which points name them.
std::vector<std::string> phases_of(const std::vector<std::size_t>& fitting, const Json& points)
{
    std::vector<std::string> phases;
    for (const std::size_t index : fitting) {
        for (const auto& [phase, seconds] : points.at(index).at("phases").items()) {
            if (std::find(phases.begin(), phases.end(), phase) == phases.end()) {
                phases.push_back(phase);
            }
        }
    }
    return phases;
}

Json by_phase(const Fit& whole, const std::vector<CoreTime>& curve,
              const std::vector<std::size_t>& fitting, const Json& points)
{
    Json parts = Json::object();
    for (const std::string& phase : phases_of(fitting, points)) {
        std::vector<double> seconds;
        seconds.reserve(fitting.size());
        for (const std::size_t index : fitting) {
            seconds.push_back(points.at(index).at("phases").value(phase, 0.0));
        }
        parts[phase] = to_json(fit_part(curve, seconds, whole));
    }
    return parts;
}

} // namespace

std::optional<Json> fit_json(const std::vector<std::size_t>& fitting, const Json& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    const std::optional<Fit> fit = fit_of(curve);
    if (!fit) {
        return std::nullopt;
    }
    Json json = to_json(*fit);
    json["spare_points"] = fit->spare_points;
    json["by_phase"] = by_phase(*fit, curve, fitting, points);
    return json;
}

Json regimes_json(const std::vector<std::size_t>& fitting, const Json& points)
{
    std::vector<std::vector<std::size_t>> runs;
    for (const std::size_t index : fitting) {
        const Json& machine = points.at(index).at("machine");
        if (!machine.contains("wrap")) {
            return nullptr;
        }
        if (runs.empty() ||
            points.at(runs.back().back()).at("machine").at("wrap") != machine.at("wrap")) {
            runs.emplace_back();
        }
        runs.back().push_back(index);
    }
    Json regimes = Json::array();
    for (const std::vector<std::size_t>& run : runs) {
        Json regime{{"cores", Json::array()}, {"wrap", points.at(run[0]).at("machine").at("wrap")}};
        for (const std::size_t index : run) {
            regime["cores"].push_back(points.at(index).at("machine").at("cores"));
        }
        if (const std::optional<Json> fit = fit_json(run, points)) {
            regime["fit"] = *fit;
        }
        regimes.push_back(regime);
    }
    return regimes;
}

} // namespace alxsim::report
