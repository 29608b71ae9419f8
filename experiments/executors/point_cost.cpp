// SPDX-License-Identifier: Apache-2.0
#include "experiments/executors/point_cost.h"

#include "base/input_error.h"

#include <algorithm>
#include <iterator>

namespace alxsim::experiments {
namespace {

/// Host time of one simulated device-step with its numbers, and of an analytic point with its band:
/// rough figures of this program.
constexpr double seconds_per_device_step = 1e-3;
constexpr double seconds_per_analytic_point = 1;
/// Of a sampled job without numbers; of one with numbers, nearly every step's time is theirs.
constexpr double sampled_steps = 40;

double predicted_seconds(const PointSpec& point)
{
    if (is_small(point.study)) {
        return seconds_per_analytic_point;
    }
    try {
        return predicted_seconds(point.study, preview_point(point.study));
    } catch (const InputError&) { // it will be refused in no time
        return seconds_per_analytic_point;
    }
}

} // namespace

bool is_small(const PointStudy& study)
{
    return !study.numerics && study.fidelity == Fidelity::analytic;
}

double predicted_seconds(const PointStudy& study, const Preview& preview)
{
    if (!preview.point.fits || is_small(study)) {
        return seconds_per_analytic_point;
    }
    const int intervals = study.numerics ? preview.intervals : 1;
    const double all_steps = intervals * static_cast<double>(preview.steps);
    const bool few = study.fidelity == Fidelity::sampled && !study.numerics;
    return seconds_per_analytic_point + seconds_per_device_step *
                                            (few ? std::min(all_steps, sampled_steps) : all_steps) *
                                            static_cast<double>(*preview.point.machine.devices);
}

std::vector<double> predicted_seconds(const std::vector<PointSpec>& points)
{
    std::vector<double> all;
    std::transform(points.begin(), points.end(), std::back_inserter(all),
                   [](const PointSpec& point) { return predicted_seconds(point); });
    return all;
}

} // namespace alxsim::experiments
