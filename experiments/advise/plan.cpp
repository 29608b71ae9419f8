// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/plan.h"

#include "experiments/advise/reasons.h"
#include "experiments/uncertainty/uncertainty.h"

#include <algorithm>
#include <limits>

namespace alxsim::experiments {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// What time and money a point takes, or why there is none.
SimulatedPlan simulated_of(const report::Point& point)
{
    if (!point.result) {
        return {{}, point.error};
    }
    const report::Result& result = *point.result;
    return {PlanTimes{result.epoch, result.low_seconds, result.high_seconds, result.fidelity,
                      result.confidence, result.cost_usd, result.energy_joules},
            point.error};
}

/// Chips where they have no price.
double dollars_per_second(const PlanEstimate& plan)
{
    return plan.times.cost_usd ? *plan.times.cost_usd / plan.times.epoch.seconds
                               : static_cast<double>(plan.machine.chips);
}

} // namespace

double objective_of(double epoch_seconds, const PlanEstimate& plan, Objective objective)
{
    const double seconds = epoch_seconds / plan.units;
    return objective == Objective::time ? seconds : seconds * dollars_per_second(plan);
}

double use_of_limits(double epoch_seconds, const PlanEstimate& plan, const PlanLimits& limits)
{
    double use = 0;
    if (limits.deadline_seconds) {
        use = std::max(use, epoch_seconds / *limits.deadline_seconds);
    }
    if (limits.max_cost_usd) {
        use = std::max(use, epoch_seconds * dollars_per_second(plan) / *limits.max_cost_usd);
    }
    return use;
}

Plan plan_of(const PlanSpace& space, const Selection& selection, const std::string& role,
             const PlanEstimate& estimate, const std::optional<report::Point>& simulated)
{
    Plan plan;
    plan.as_studied = space.is_studied(selection);
    plan.role = role;
    plan.changes = space.words_of(selection);
    plan.set = space.set_of(selection);
    plan.estimate = estimate;
    if (simulated) {
        plan.simulated = simulated_of(*simulated);
    }
    plan.bound_by = bound_of(plan.figures().epoch);
    plan.study = space.study_of(selection);
    return plan;
}

void tell_best_in_draws(std::vector<Plan>& plans, Objective objective, const PlanLimits& limits)
{
    const bool wanted =
        std::all_of(plans.begin(), plans.end(), [](const Plan& plan) { return plan.study.band; });
    if (!wanted) {
        return;
    }
    constexpr std::size_t draws = 256;
    std::vector<int> best(plans.size(), 0);
    std::vector<std::vector<double>> costs(draws); // [draw][plan]
    for (const Plan& plan : plans) {
        const double scale = plan.figures().epoch.seconds / plan.estimate.times.epoch.seconds;
        const std::vector<double> drawn = plan.estimate.fits
                                              ? drawn_seconds(plan.study, static_cast<int>(draws))
                                              : std::vector<double>(draws, never);
        for (std::size_t draw = 0; draw < draws; ++draw) {
            const double seconds = scale * drawn[draw];
            const bool kept = use_of_limits(seconds, plan.estimate, limits) <= 1;
            costs[draw].push_back(kept ? objective_of(seconds, plan.estimate, objective) : never);
        }
    }
    for (const std::vector<double>& all : costs) {
        const auto least = std::min_element(all.begin(), all.end());
        best[static_cast<std::size_t>(least - all.begin())] += *least < never ? 1 : 0;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (plans[i].estimate.fits) {
            plans[i].best_in_draws = static_cast<double>(best[i]) / draws;
        }
    }
}

void compare(Plan& plan, const Plan& studied, const std::vector<std::string>& effects,
             const workloads::Workload& workload)
{
    const bool both = plan.is_simulated() && studied.is_simulated();
    const report::Breakdown& before = both ? studied.figures().epoch : studied.estimate.times.epoch;
    const report::Breakdown& after = both ? plan.figures().epoch : plan.estimate.times.epoch;
    if (studied.estimate.fits) {
        plan.speedup =
            before.seconds / studied.estimate.units / (after.seconds / plan.estimate.units);
    }
    plan.why = plan.as_studied ? "" : why(before, after, effects, workload);
}

} // namespace alxsim::experiments
