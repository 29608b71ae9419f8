// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/evaluate.h"

#include "base/input_error.h"
#include "experiments/advise/plan.h"
#include "experiments/job.h"
#include "experiments/machine_request.h"
#include "experiments/point_parts.h"
#include "model/graph/memory.h"
#include "model/job_estimate.h"

#include <tuple>

namespace alxsim::experiments {
namespace {

constexpr double beyond_limits = 1e12; ///< more than any two plans differ by

/// Times by closed forms, which a search can afford.
PlanTimes estimated(const model::Program& program, const topologies::Machine& machine)
{
    report::Result result;
    result.epoch =
        breakdown_of(model::estimate(program, machine, model::ScheduleTimes::closed_form));
    add_cost(result, machine);
    return {result.epoch, {}, {}, {}, {}, result.cost_usd, result.energy_joules};
}

} // namespace

std::shared_ptr<const topologies::Machine> Evaluator::machine_of_plan(const PointStudy& study) const
{
    return machines_.get(json_of(study.machine).dump(), [&] {
        return std::make_shared<const topologies::Machine>(machine_of(study.machine, study.file));
    });
}

PlanEstimate Evaluator::estimate_of(const Selection& selection) const
{
    // The studied plan was checked when it was read, and every option alone with it.
    const PointStudy study = changed(space_.studied, space_.set_of(selection));
    const auto [machine, workload] = job_on(*machine_of_plan(study), study);
    const model::MemoryFit fit = model::memory_fit(workload->program(), machine);
    workloads::Description description = workload->describe();
    PlanEstimate plan{machine_told(machine, study.machine),
                      fit.fits(),
                      memory_of(fit, machine),
                      std::move(description.geometry),
                      std::move(description.geometry_words),
                      std::move(description.geometry_note),
                      estimated(workload->program(), machine),
                      "",
                      1};
    if (const auto work = workload->useful_work()) {
        plan.unit = work->unit;
        plan.units = work->units;
    }
    return plan;
}

void Evaluator::note_too_large(const Selection& selection, double cost)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    ++too_large_;
    if (!best_too_large_ ||
        std::tie(cost, selection) < std::tie(best_too_large_->cost, best_too_large_->selection)) {
        best_too_large_ = RankedSelection{selection, cost};
    }
}

std::optional<double> Evaluator::cost_of(const Selection& selection)
{
    try {
        const PlanEstimate plan = estimate_of(selection);
        if (needs_price_ && !plan.times.cost_usd) {
            throw InputError("the preset of " + plan.machine.chip + " has no usd_per_chip_hour");
        }
        const double use = use_of_limits(plan.times.epoch.seconds, plan, limits_);
        const double cost = objective_of(plan.times.epoch.seconds, plan, objective_) *
                            (use > 1 ? beyond_limits * use : 1);
        if (plan.fits) {
            return cost;
        }
        note_too_large(selection, cost);
    } catch (const InputError& error) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++reasons_[error.what()];
    }
    return std::nullopt;
}

NotPossible Evaluator::not_possible() const
{
    NotPossible told;
    for (const auto& [why, plans] : reasons_) {
        told.reasons.push_back({why, plans});
        told.plans += plans;
    }
    return told;
}

TooLarge Evaluator::too_large() const
{
    TooLarge told{too_large_, {}};
    if (best_too_large_) {
        const Selection& selection = best_too_large_->selection;
        const PlanEstimate plan = estimate_of(selection);
        told.best = LargePlan{space_.words_of(selection), space_.set_of(selection),
                              plan.times.epoch.seconds, plan.memory};
    }
    return told;
}

} // namespace alxsim::experiments
