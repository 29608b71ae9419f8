// SPDX-License-Identifier: Apache-2.0
#include "report/targets/metric_target.h"

#include <algorithm>

namespace alxsim::report {
namespace {

constexpr double near_enough = 0.99;

/// An evaluated interval.
struct Evaluated {
    double reached;
    std::optional<double> seconds; ///< simulated until then
};

std::vector<Evaluated> evaluated(const Point& point, const std::string& metric)
{
    std::vector<Evaluated> intervals;
    if (point.result && point.result->quality) {
        for (const Quality& quality : *point.result->quality) {
            if (const std::optional<double> reached = quality.metric(metric)) {
                intervals.push_back({*reached, quality.simulated_seconds});
            }
        }
    }
    return intervals;
}

} // namespace

std::optional<double> target_value(const SeriesSpec& spec, const std::vector<Point>& points)
{
    if (!spec.target) {
        return std::nullopt;
    }
    const MetricTarget& target = *spec.target;
    const bool lower = target.lower_is_better;
    const auto better = [&](double a, double b) { return lower ? std::min(a, b) : std::max(a, b); };
    const auto worse = [&](double a, double b) { return lower ? std::max(a, b) : std::min(a, b); };
    std::optional<double> worst;
    for (const std::size_t index : spec.points) {
        std::optional<double> best;
        for (const Evaluated& interval : evaluated(points.at(index), target.metric)) {
            best = better(best.value_or(interval.reached), interval.reached);
        }
        if (best) {
            worst = worse(worst.value_or(*best), *best);
        }
    }
    if (!worst) {
        return std::nullopt;
    }
    return target.asked.value_or(lower ? *worst / near_enough : *worst * near_enough);
}

void add_seconds_to(double value, const SeriesSpec& spec, std::vector<Point>& points)
{
    const MetricTarget& target = spec.target.value();
    const auto is_reached = [&](const Evaluated& one) {
        return target.lower_is_better ? one.reached <= value : one.reached >= value;
    };
    for (const std::size_t index : spec.points) {
        const std::vector<Evaluated> intervals = evaluated(points.at(index), target.metric);
        const auto first = std::find_if(intervals.begin(), intervals.end(), is_reached);
        if (!intervals.empty()) {
            points[index].result->seconds_to = {
                {target.name, first == intervals.end() ? std::nullopt : first->seconds}};
        }
    }
}

} // namespace alxsim::report
