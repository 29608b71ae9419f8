// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::alx {

/// What one step of a half does.
struct PlannedStep {
    static constexpr std::int64_t nothing = -1;

    std::int64_t gathers = nothing; ///< the batch step whose batches are gathered
    std::int64_t solves = nothing;  ///< that whose batches are solved
};

/// What a step of a half does. With batches that are gathered ahead, the first steps of a half only
/// gather, the last ones only solve, and those between solve one batch beside the gather of a later
/// one.
enum class StepPart { whole, gather_ahead, solve_and_gather_ahead, solve_gathered };

constexpr StepPart part_of(const PlannedStep& step)
{
    return step.gathers == step.solves            ? StepPart::whole
           : step.solves == PlannedStep::nothing  ? StepPart::gather_ahead
           : step.gathers == PlannedStep::nothing ? StepPart::solve_gathered
                                                  : StepPart::solve_and_gather_ahead;
}

/// The steps of a half of `batch_steps` that gathers `depth` steps ahead, step k of all.
constexpr PlannedStep planned_step(std::int64_t k, std::int64_t batch_steps, std::int64_t depth)
{
    PlannedStep step;
    if (k >= 0 && k < batch_steps) {
        step.gathers = k;
    }
    if (k >= depth && k < batch_steps + depth) {
        step.solves = k - depth;
    }
    return step;
}

} // namespace alxsim::alx
