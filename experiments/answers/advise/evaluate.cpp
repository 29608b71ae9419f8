// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/evaluate.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/advise/plan.h"
#include "experiments/points/parts/bill.h"
#include "experiments/points/parts/point_parts.h"
#include "experiments/points/study/job.h"
#include "experiments/points/study/machine_request.h"
#include "experiments/points/timing/time_tables.h"
#include "model/job_estimate.h"

#include <algorithm>
#include <tuple>

namespace alxsim::experiments {
namespace {

constexpr double beyond_limits = 1e12; ///< more than any two plans differ by

/// Times by closed forms, which a search can afford.
PlanTimes estimated(const model::Program& program, const ChipPrices& prices,
                    const topologies::Machine& machine)
{
    report::Result result;
    result.epoch =
        breakdown_of(model::estimate(program, machine, model::ScheduleTimes::closed_form));
    add_cost(result, prices, machine);
    return {result.epoch, {}, {}, {}, {}, result.cost_usd, result.energy_joules, {}};
}

Named<std::string> remarks_of(const PlanTimes& times, const workloads::Workload& workload)
{
    Named<std::string> remarks;
    for (const auto& [phase, seconds] : times.epoch.phases) {
        std::string remark = workload.phase_remark(phase);
        if (!remark.empty()) {
            remarks.emplace_back(phase, std::move(remark));
        }
    }
    return remarks;
}

PlanEstimate plan_estimate(const PointStudy& study, const topologies::Machine& machine,
                           const workloads::Workload& workload)
{
    const model::MemoryFit fit = memory_fit(workload, machine);
    workloads::Description description = workload.describe();
    PlanEstimate plan{machine_told(machine, study.machine),
                      fit.fits(),
                      memory_of(fit, machine),
                      std::move(description.geometry),
                      std::move(description.geometry_words),
                      std::move(description.geometry_note),
                      estimated(workload.program(), prices_of(study, machine), machine),
                      "",
                      1,
                      {}};
    plan.remarks = remarks_of(plan.times, workload);
    plan.notes = workload.notes();
    if (description.left_out) {
        plan.left_out = description.left_out->words;
    }
    if (description.assumed) {
        model::AnalyticModel model(machine, model::ScheduleTimes::closed_form);
        plan.assumed = assumed_time(*description.assumed, workload, model);
    }
    if (const auto work = workload.useful_work()) {
        plan.unit = work->unit;
        plan.units = work->units;
        plan.times.mfu =
            model_flop_utilization(work->operations, plan.times.epoch.seconds, machine);
    }
    return plan;
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
    if (space_.is_studied(selection)) {
        const Job& job = *space_.studied_job;
        return plan_estimate(space_.studied, job.machine, *job.workload);
    }
    // The studied plan was checked when it was read, and every option alone with it.
    const PointStudy study = changed(space_.studied, space_.set_of(selection));
    const Job job = job_on(*machine_of_plan(study), study);
    return plan_estimate(study, job.machine, *job.workload);
}

PlanEstimate Evaluator::sketch_estimate_of(const Selection& selection) const
{
    const PointStudy study = changed(space_.studied, space_.set_of(selection));
    const Job job = sketch_on(*machine_of_plan(study), study);
    return plan_estimate(study, job.machine, *job.workload);
}

void Evaluator::note_too_large(const Selection& selection, double cost, const PlanEstimate& plan)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    refused_.insert(selection);
    ++too_large_;
    ChipTally& of_chip = chips_[chip_of_plan(selection)];
    ++of_chip.too_large;
    if (!of_chip.smallest || plan.memory.needed_bytes() < of_chip.smallest->needed_bytes()) {
        of_chip.smallest = plan.memory;
    }
    if (!best_too_large_ ||
        std::tie(cost, selection) < std::tie(best_too_large_->cost, best_too_large_->selection)) {
        best_too_large_ = RankedSelection{selection, cost};
        estimate_too_large_ = plan;
    }
}

const PlanEstimate* Evaluator::found(const Selection& selection) const
{
    const auto known = found_.find(selection);
    return known == found_.end() ? nullptr : &known->second.second;
}

std::optional<double> Evaluator::cost_of(const Selection& selection)
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto known = found_.find(selection);
        if (known != found_.end()) {
            return known->second.first;
        }
        if (refused_.count(selection) > 0) {
            return std::nullopt;
        }
    }
    try {
        PlanEstimate plan = sketch_estimate_of(selection);
        if (needs_price_ && !plan.times.cost_usd) {
            throw InputError("the preset of " + plan.machine.chip + " has no usd_per_chip_hour");
        }
        const double use = use_of_limits(plan.times.epoch.seconds, plan, limits_);
        const double cost = objective_of(plan.times.epoch.seconds, plan, objective_) *
                            (use > 1 ? beyond_limits * use : 1);
        if (plan.fits) {
            const std::lock_guard<std::mutex> lock(mutex_);
            chips_[chip_of_plan(selection)].has_plan = true;
            found_.emplace(selection, std::pair(cost, std::move(plan)));
            return cost;
        }
        note_too_large(selection, cost, plan);
    } catch (const InputError& error) {
        const std::lock_guard<std::mutex> lock(mutex_);
        refused_.insert(selection);
        ++reasons_[error.what()];
        ++chips_[chip_of_plan(selection)].refused[error.what()];
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
        const PlanEstimate& plan = *estimate_too_large_;
        told.best = LargePlan{space_.words_of(selection), space_.set_of(selection),
                              plan.times.epoch.seconds, plan.memory};
    }
    return told;
}

std::string Evaluator::chip_of_plan(const Selection& selection) const
{
    const auto slice = static_cast<std::size_t>(space_.slice_axis());
    const Option& option =
        space_.choices.list.at(slice).options.at(static_cast<std::size_t>(selection.at(slice)));
    const Json* const chip = option.set.find("/machine/chip");
    return chip == nullptr ? *space_.studied.machine.chip : chip->get<std::string>();
}

std::vector<ChipWithoutPlan> Evaluator::chips_without_plan() const
{
    std::vector<ChipWithoutPlan> told;
    for (const auto& [chip, why] : space_.refused_chips) {
        if (chips_.count(chip) == 0) {
            told.push_back({chip, why});
        }
    }
    for (const auto& [chip, tally] : chips_) {
        if (tally.has_plan) {
            continue;
        }
        std::vector<std::string> whys;
        if (tally.smallest) {
            const auto gigabytes = [](std::int64_t bytes) {
                return printed("%.3g", 1e-9 * static_cast<double>(bytes));
            };
            whys.push_back(std::to_string(tally.too_large) +
                           " plans are too large for HBM, the smallest needs " +
                           gigabytes(tally.smallest->needed_bytes()) + " of " +
                           gigabytes(tally.smallest->capacity_bytes) + " GB a core, most of it " +
                           tally.smallest->largest.value_or(""));
        }
        const auto most =
            std::max_element(tally.refused.begin(), tally.refused.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (most != tally.refused.end()) {
            whys.push_back(std::to_string(most->second) + " are refused: " + most->first);
        }
        told.push_back({chip, join(whys, "; ")});
    }
    return told;
}

} // namespace alxsim::experiments
