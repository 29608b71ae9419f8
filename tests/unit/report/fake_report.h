// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::report {

/// A point as the runner hands it over, with the given phases; communication is "gather", the rest
/// compute.
inline Json fake_point(std::int64_t cores, const std::map<std::string, double>& phases)
{
    double epoch = 0;
    for (const auto& [phase, seconds] : phases) {
        epoch += seconds;
    }
    const double gather = phases.count("gather") > 0 ? phases.at("gather") : 0;
    return {{"sweep", {{"/machine/cores", cores}}},
            {"machine",
             {{"chip", "tpu_v3"},
              {"cores", cores},
              {"chips", (cores + 1) / 2},
              {"slice", "4x4"},
              {"slice_assumed", false}}},
            {"fits", true},
            {"memory",
             {{"bytes_per_core", 1e9}, {"capacity_bytes", 16e9}, {"parts", {{"tables", 1e9}}}}},
            {"epoch_seconds", epoch},
            {"fidelity", "analytic"},
            {"phases", phases},
            {"compute_seconds", epoch - gather},
            {"hbm_seconds", 0},
            {"communication_seconds", gather},
            {"host_seconds", 0},
            {"idle_seconds", 0},
            {"ici", {{"bytes", 1e9}, {"utilisation", 0.25}}},
            {"counters", Json::object()}};
}

/// A point that all is one phase.
inline Json fake_point(std::int64_t cores, double seconds)
{
    return fake_point(cores, {{"solve", seconds}});
}

/// The same with something sent, unevenly.
inline Json with_exchange(std::int64_t cores)
{
    Json point = fake_point(cores, 1.0);
    point["traffic"] = {{{"phase", "solve"},
                         {"op", "send rows to askers"},
                         {"kind", "all_to_all"},
                         {"times", 2},
                         {"payload_bytes", 46792.0},
                         {"message_bytes", 374336}}};
    point["skew"] = {{{"phase", "solve"},
                      {"of", "look up asked rows"},
                      {"unit", "rows"},
                      {"least", 1},
                      {"mean", 2.0},
                      {"most", 3},
                      {"most_over_mean", 1.5},
                      {"straggler", 7}}};
    return point;
}

inline Json too_large_point(std::int64_t cores)
{
    const Json point = fake_point(cores, 1.0);
    return {{"sweep", point.at("sweep")},
            {"machine", point.at("machine")},
            {"fits", false},
            {"memory", point.at("memory")}};
}

/// One series of all the points.
inline ReportParts fake_parts(const std::vector<Json>& points)
{
    ReportParts parts;
    parts.study = {{"study", "a study"}};
    parts.tool = {{"version", "0.1.0"}, {"commit", "unknown"}};
    parts.host = {{"wall_seconds", 1.5}, {"threads", 2}};
    parts.dataset = {{"name", "debian"}};
    parts.series = {{"base", {}}};
    for (const Json& point : points) {
        parts.series[0].points.push_back(parts.points.size());
        parts.points.push_back(point);
    }
    return parts;
}

} // namespace alxsim::report
