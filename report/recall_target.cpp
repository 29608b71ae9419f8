// SPDX-License-Identifier: Apache-2.0
#include "report/recall_target.h"

#include <algorithm>

namespace alxsim::report {
namespace {

constexpr const char* figure = "recall_at_20";
constexpr double near_enough = 0.99;

/// The evaluated epochs of a point that have a recall.
Json evaluated(const Json& point)
{
    Json epochs = Json::array();
    for (const Json& entry : point.value("quality", Json::array())) {
        if (entry.contains(figure)) {
            epochs.push_back(entry);
        }
    }
    return epochs;
}

} // namespace

std::optional<double> recall_target(const SeriesSpec& spec, const Json& points)
{
    std::optional<double> lowest;
    for (const std::size_t index : spec.points) {
        double best = -1;
        for (const Json& entry : evaluated(points.at(index))) {
            best = std::max(best, entry.at(figure).get<double>());
        }
        if (best >= 0) {
            lowest = std::min(lowest.value_or(best), best);
        }
    }
    return lowest ? std::optional<double>(*lowest * near_enough) : std::nullopt;
}

void add_seconds_to_recall(const SeriesSpec& spec, double target, Json& points)
{
    for (const std::size_t index : spec.points) {
        const Json epochs = evaluated(points.at(index));
        const auto first = std::find_if(epochs.begin(), epochs.end(), [&](const Json& entry) {
            return entry.at(figure).get<double>() >= target;
        });
        if (!epochs.empty()) {
            points[index]["seconds_to_recall"] =
                first == epochs.end() ? Json() : first->value("simulated_seconds", Json());
        }
    }
}

} // namespace alxsim::report
