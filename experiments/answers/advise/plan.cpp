// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/plan.h"

#include "experiments/answers/advise/reasons.h"
#include "experiments/points/uncertainty/uncertainty.h"

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
    std::optional<double> mfu;
    if (result.throughput) {
        mfu = result.throughput->mfu;
    }
    return {PlanTimes{result.epoch, result.low_seconds, result.high_seconds, result.fidelity,
                      result.confidence, result.cost_usd, result.energy_joules, mfu},
            point.error};
}

/// Chips where they have no price.
double dollars_per_second(const PlanEstimate& plan)
{
    return plan.times.cost_usd ? *plan.times.cost_usd / plan.times.epoch.seconds
                               : static_cast<double>(plan.machine.chips);
}

/// Puts the analytic model's band round the simulated time.
void tell_band(PlanTimes& times, const EpochBand& band)
{
    times.low_seconds = times.epoch.seconds * band.low / band.central;
    times.high_seconds = times.epoch.seconds * band.high / band.central;
}

/// What the plan costs in each draw, `never` where it breaks a limit; on the way, its band.
std::vector<double> drawn_costs(Plan& plan, Objective objective, const PlanLimits& limits,
                                int threads)
{
    const EpochBand band = band_without_ranking(plan.study, threads);
    if (plan.is_simulated()) {
        tell_band(*plan.simulated->times, band);
    }
    const double scale = plan.figures().epoch.seconds / plan.estimate.times.epoch.seconds;
    std::vector<double> costs;
    for (const model::Breakdown& epoch : band.draws) {
        const double seconds = scale * to_seconds(epoch.total).count();
        const bool kept = use_of_limits(seconds, plan.estimate, limits) <= 1;
        costs.push_back(kept ? objective_of(seconds, plan.estimate, objective) : never);
    }
    return costs;
}

/// `costs`: [plan][draw]; empty: the plan does not fit.
void tell_best(std::vector<Plan>& plans, const std::vector<std::vector<double>>& costs)
{
    std::size_t draws = 0;
    for (const std::vector<double>& of_plan : costs) {
        draws = std::max(draws, of_plan.size());
    }
    std::vector<int> best(plans.size(), 0);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        const auto cost = [&](std::size_t plan) {
            return costs[plan].empty() ? never : costs[plan][draw];
        };
        std::size_t least = 0;
        for (std::size_t plan = 1; plan < plans.size(); ++plan) {
            least = cost(plan) < cost(least) ? plan : least;
        }
        best[least] += cost(least) < never ? 1 : 0;
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (plans[i].estimate.fits) {
            plans[i].best_in_draws = static_cast<double>(best[i]) / static_cast<double>(draws);
        }
    }
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

void tell_draws(std::vector<Plan>& plans, Objective objective, const PlanLimits& limits,
                int threads)
{
    const bool wanted =
        std::all_of(plans.begin(), plans.end(), [](const Plan& plan) { return plan.study.band; });
    if (!wanted) {
        return;
    }
    std::vector<std::vector<double>> costs; // [plan][draw]; empty: does not fit
    for (Plan& plan : plans) {
        costs.push_back(plan.estimate.fits ? drawn_costs(plan, objective, limits, threads)
                                           : std::vector<double>());
    }
    tell_best(plans, costs);
}

void compare(Plan& plan, const Plan& studied, const std::vector<std::string>& effects)
{
    const bool both = plan.is_simulated() && studied.is_simulated();
    const report::Breakdown& before = both ? studied.figures().epoch : studied.estimate.times.epoch;
    const report::Breakdown& after = both ? plan.figures().epoch : plan.estimate.times.epoch;
    if (studied.estimate.fits) {
        plan.speedup =
            before.seconds / studied.estimate.units / (after.seconds / plan.estimate.units);
    }
    plan.why = plan.as_studied ? "" : why(before, after, effects, plan.estimate.remarks);
}

} // namespace alxsim::experiments
