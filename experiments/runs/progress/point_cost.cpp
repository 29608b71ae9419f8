// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/point_cost.h"

#include "base/input_error.h"

#include <algorithm>
#include <iterator>

namespace alxsim::experiments {
namespace {

/// Too little to tell one from another.
constexpr double seconds_of_small_point = 1e-3;

double predicted_seconds(const PointSpec& point)
{
    if (is_small(point.study)) {
        return seconds_of_small_point;
    }
    try {
        return std::max(seconds_of_small_point,
                        preview_point(whole_study(point)).host_time.count());
    } catch (const InputError&) { // it will be refused in no time
        return seconds_of_small_point;
    }
}

} // namespace

bool is_small(const PointStudy& study)
{
    return !study.numerics && study.fidelity == Fidelity::analytic;
}

std::vector<double> predicted_seconds(const std::vector<PointSpec>& points)
{
    std::vector<double> all;
    std::transform(points.begin(), points.end(), std::back_inserter(all),
                   [](const PointSpec& point) { return predicted_seconds(point); });
    return all;
}

} // namespace alxsim::experiments
