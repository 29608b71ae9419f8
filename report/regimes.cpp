// SPDX-License-Identifier: Apache-2.0
#include "report/regimes.h"

#include "report/series.h"

#include <algorithm>
#include <string>

namespace alxsim::report {
namespace {

/// The names of all phases, in the order in which points name them.
std::vector<std::string> phases_of(const std::vector<std::size_t>& fitting,
                                   const std::vector<Point>& points)
{
    std::vector<std::string> phases;
    for (const std::size_t index : fitting) {
        for (const auto& [phase, seconds] : points.at(index).result->epoch.phases) {
            if (std::find(phases.begin(), phases.end(), phase) == phases.end()) {
                phases.push_back(phase);
            }
        }
    }
    return phases;
}

Named<Fit> by_phase(const Fit& whole, const std::vector<CoreTime>& curve,
                    const std::vector<std::size_t>& fitting, const std::vector<Point>& points)
{
    Named<Fit> parts;
    for (const std::string& phase : phases_of(fitting, points)) {
        std::vector<double> seconds;
        seconds.reserve(fitting.size());
        for (const std::size_t index : fitting) {
            seconds.push_back(points.at(index).result->epoch.phase(phase));
        }
        parts.emplace_back(phase, fit_part(curve, seconds, whole));
    }
    return parts;
}

} // namespace

std::optional<CurveFit> curve_fit_of(const std::vector<std::size_t>& fitting,
                                     const std::vector<Point>& points)
{
    const std::vector<CoreTime> curve = curve_of(fitting, points);
    const std::optional<Fit> fit = fit_of(curve);
    if (!fit) {
        return std::nullopt;
    }
    return CurveFit{*fit, by_phase(*fit, curve, fitting, points)};
}

std::vector<Regime> regimes_of(const std::vector<std::size_t>& fitting,
                               const std::vector<Point>& points)
{
    std::vector<std::vector<std::size_t>> runs;
    for (const std::size_t index : fitting) {
        const PointMachine& machine = points.at(index).machine;
        if (!machine.wrap) {
            return {};
        }
        if (runs.empty() || points.at(runs.back().back()).machine.wrap != machine.wrap) {
            runs.emplace_back();
        }
        runs.back().push_back(index);
    }
    std::vector<Regime> regimes;
    for (const std::vector<std::size_t>& run : runs) {
        Regime regime{{}, *points.at(run[0]).machine.wrap, curve_fit_of(run, points)};
        for (const std::size_t index : run) {
            regime.cores.push_back(points.at(index).machine.cores);
        }
        regimes.push_back(std::move(regime));
    }
    return regimes;
}

} // namespace alxsim::report
