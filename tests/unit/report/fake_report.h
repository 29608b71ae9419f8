// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report_fields.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::report {

/// A point as the runner hands it over, with the given phases; communication is "gather", the rest
/// compute.
inline Point fake_point(std::int64_t cores, const std::map<std::string, double>& phases)
{
    Point point;
    point.sweep.set("/machine/cores", cores);
    point.machine.chip = "tpu_v3";
    point.machine.cores = cores;
    point.machine.chips = (cores + 1) / 2;
    point.machine.slice = "4x4";
    point.memory =
        PointMemory{1'000'000'000, 16'000'000'000, {{"tables", 1'000'000'000}}, {}, false, {}, {}};
    Result& result = point.result.emplace();
    result.fidelity = "analytic";
    for (const auto& [phase, seconds] : phases) {
        result.epoch.seconds += seconds;
        result.epoch.phases.emplace_back(phase, seconds);
    }
    const double gather = result.epoch.phase("gather");
    result.epoch.share(Share::compute) = result.epoch.seconds - gather;
    result.epoch.share(Share::communication) = gather;
    result.ici.bytes = std::int64_t{1'000'000'000};
    result.ici.utilisation = 0.25;
    return point;
}

/// A point that all is one phase.
inline Point fake_point(std::int64_t cores, double seconds)
{
    return fake_point(cores, {{"solve", seconds}});
}

/// The same with something sent, unevenly.
inline Point with_exchange(std::int64_t cores)
{
    Point point = fake_point(cores, 1.0);
    point.result->traffic = {{"solve", "send rows to askers", "all_to_all", 2, 46792.0, 374336}};
    point.result->skew = {{"solve", "look up asked rows", "rows", 1, 2.0, 3, 1.5, 7}};
    return point;
}

inline Point too_large_point(std::int64_t cores)
{
    Point point = fake_point(cores, 1.0);
    point.fits = false;
    point.result.reset();
    return point;
}

/// One series of all the points.
inline ReportParts fake_parts(const std::vector<Point>& points)
{
    ReportParts parts;
    parts.study = {{"study", "a study"}};
    parts.tool = {"0.1.0", "unknown"};
    parts.host = {1.5, 2, {}};
    parts.dataset = {{"name", "debian"}};
    parts.series = {{"base", {}}};
    parts.points = points;
    for (std::size_t i = 0; i < points.size(); ++i) {
        parts.series[0].points.push_back(i);
    }
    return parts;
}

} // namespace alxsim::report
