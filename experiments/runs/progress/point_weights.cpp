// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/point_weights.h"

#include "experiments/points/host_work.h"

#include <algorithm>
#include <map>

namespace alxsim::experiments {
namespace {

/// Returns those of a point of which nothing is known yet.
double usual_seconds(const std::string& kind)
{
    return kind == "analytic" ? 0.02 : 1.0;
}

} // namespace

HostSpeed::HostSpeed(const std::vector<report::HostUse>& uses)
{
    for (const report::HostUse& use : uses) {
        learn(use);
    }
}

void HostSpeed::learn(const report::HostUse& use)
{
    const auto known = std::find_if(uses_.begin(), uses_.end(), [&](const report::HostUse& one) {
        return one.kind == use.kind;
    });
    if (known == uses_.end()) {
        uses_.push_back(use);
        return;
    }
    known->points += use.points;
    known->predicted_cpu_seconds += use.predicted_cpu_seconds;
    known->cpu_seconds += use.cpu_seconds;
    if (use.memory_bytes > known->memory_bytes) {
        known->predicted_memory_bytes = use.predicted_memory_bytes;
        known->memory_bytes = use.memory_bytes;
    }
}

double HostSpeed::seconds(const std::string& kind, double predicted_seconds) const
{
    for (const report::HostUse& use : uses_) {
        if (use.kind == kind && use.predicted_cpu_seconds > 0) {
            return predicted_seconds * use.cpu_seconds / use.predicted_cpu_seconds;
        }
    }
    return predicted_seconds;
}

PointWeights::PointWeights(const std::vector<PointSpec>& points)
{
    for (const PointSpec& point : points) {
        points_.push_back({host_work_kind(point.study), {}, {}});
    }
}

bool PointWeights::finish(std::size_t point, const std::optional<report::HostUse>& use)
{
    Point& one = points_[point];
    if (use) {
        speed_.learn(*use);
        one.took = use->cpu_seconds;
    }
    return one.predicted.has_value();
}

void PointWeights::take_over(std::size_t point, const std::optional<report::HostUse>& use)
{
    if (use) {
        speed_.learn(*use);
    }
    points_[point].took = 0;
}

std::vector<double> PointWeights::weights() const
{
    struct Sum {
        double seconds = 0;
        int points = 0;
    };
    std::map<std::string, Sum> known;
    std::vector<double> weights(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const Point& point = points_[i];
        if (point.took || point.predicted) {
            weights[i] = point.took ? *point.took : speed_.seconds(point.kind, *point.predicted);
            known[point.kind].seconds += weights[i];
            known[point.kind].points += weights[i] > 0 ? 1 : 0;
        }
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const Point& point = points_[i];
        if (!point.took && !point.predicted) {
            const Sum& sum = known[point.kind];
            weights[i] = sum.points > 0 ? sum.seconds / sum.points : usual_seconds(point.kind);
        }
    }
    return weights;
}

} // namespace alxsim::experiments
