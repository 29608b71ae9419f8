// SPDX-License-Identifier: Apache-2.0
#include "report/recall_target.h"

#include <algorithm>

namespace alxsim::report {
namespace {

constexpr const char* figure = "recall_at_20";
constexpr double near_enough = 0.99;

/// An evaluated epoch.
struct Evaluated {
    double recall;
    std::optional<double> seconds; ///< simulated until then
};

std::vector<Evaluated> evaluated(const Point& point)
{
    std::vector<Evaluated> epochs;
    if (point.result && point.result->quality) {
        for (const Quality& quality : *point.result->quality) {
            if (const std::optional<double> recall = quality.metric(figure)) {
                epochs.push_back({*recall, quality.simulated_seconds});
            }
        }
    }
    return epochs;
}

} // namespace

std::optional<double> recall_target(const SeriesSpec& spec, const std::vector<Point>& points)
{
    std::optional<double> lowest;
    for (const std::size_t index : spec.points) {
        double best = -1;
        for (const Evaluated& epoch : evaluated(points.at(index))) {
            best = std::max(best, epoch.recall);
        }
        if (best >= 0) {
            lowest = std::min(lowest.value_or(best), best);
        }
    }
    return lowest ? std::optional<double>(*lowest * near_enough) : std::nullopt;
}

void add_seconds_to_recall(const SeriesSpec& spec, double target, std::vector<Point>& points)
{
    for (const std::size_t index : spec.points) {
        const std::vector<Evaluated> epochs = evaluated(points.at(index));
        const auto first = std::find_if(epochs.begin(), epochs.end(),
                                        [&](const Evaluated& one) { return one.recall >= target; });
        if (!epochs.empty()) {
            points[index].result->to_recall =
                TimeToRecall{first == epochs.end() ? std::nullopt : first->seconds};
        }
    }
}

} // namespace alxsim::report
