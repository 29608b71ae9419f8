// SPDX-License-Identifier: Apache-2.0
#include "alx/training/slowest_iterations.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {

SlowestIterations slowest_iterations(const TrainingRun& run)
{
    std::array<double, 2> sums{};
    std::array<std::int64_t, 2> steps{};
    for (std::size_t half = 0; half < run.iterations().size(); ++half) {
        for (const std::vector<std::int32_t>& slowest : run.iterations()[half]) {
            sums[half % 2] += *std::max_element(slowest.begin(), slowest.end());
            ++steps[half % 2];
        }
    }
    SlowestIterations means;
    for (std::size_t side = 0; side < means.size(); ++side) {
        if (steps[side] > 0) {
            means[side] = sums[side] / static_cast<double>(steps[side]);
        }
    }
    return means;
}

std::int64_t whole_iterations(double mean)
{
    return std::max<std::int64_t>(1, std::llround(mean));
}

} // namespace alxsim::alx
