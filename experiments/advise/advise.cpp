// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/advise.h"

#include "base/input_error.h"
#include "experiments/advise/confirm.h"
#include "experiments/advise/contenders.h"
#include "experiments/advise/evaluate.h"
#include "experiments/advise/plan.h"
#include "experiments/executors/progress.h"
#include "experiments/job.h"
#include "experiments/processes/interrupt.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace alxsim::experiments {
namespace {

/// Of the budget; the rest is for simulations.
constexpr double search_share = 0.5;

class Stopwatch {
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

MachineChoice machines_of(const Study& study, const AdviseOptions& options)
{
    const auto& choices = options.choices;
    const bool slice_fixed =
        !choices.empty() && std::find(choices.begin(), choices.end(), "slice") == choices.end();
    if (slice_fixed && !options.cores.empty()) {
        throw InputError("--cores", std::to_string(options.cores.front()),
                         "takes another slice: --choices needs slice, too");
    }
    if (!options.cores.empty()) {
        return {options.cores, true, options.chips, options.any_slice};
    }
    return {options.keep_cores ? std::vector<int>{} : swept_cores(study, options.series), false,
            options.chips, options.any_slice};
}

/// Another chip comes with another slice.
std::vector<std::string> asked_choices(const AdviseOptions& options)
{
    std::vector<std::string> choices = options.choices;
    if (!choices.empty() && !options.chips.empty()) {
        choices.emplace_back("slice");
    }
    return choices;
}

SearchResult search_plans(const PlanSpace& space, Evaluator& evaluator,
                          const AdviseOptions& options, const Stopwatch& watch)
{
    const double limit = search_share * options.budget_seconds;
    Progress progress({1}, options.quiet);
    SearchOptions search;
    search.threads = options.jobs;
    search.stop = [&] { return watch.seconds() > limit || interrupted(); };
    search.report = [&](std::size_t /*tried*/) {
        progress.update(0, std::min(1.0, watch.seconds() / limit));
    };
    const Cost cost = [&](const Selection& selection) { return evaluator.cost_of(selection); };
    SearchResult result = beam_search(space.search_space(), cost, search);
    progress.finished(0, "searched " + std::to_string(result.tried) + " plans");
    return result;
}

/// Simulated plans first, each lot by what was to be small. Plans that do not fit or are beyond the
/// limits have no rank, nor has the studied one if its machine is not to choose.
void rank(std::vector<Plan>& plans, const PlanSpace& space, Objective objective)
{
    const auto to_choose = [&](const Plan& plan) {
        return plan.estimate.fits && !plan.beyond_limits &&
               (space.studied_is_allowed || !plan.as_studied);
    };
    const auto key = [&](const Plan& plan) {
        return std::tuple(!to_choose(plan), !plan.estimate.fits, !plan.is_simulated(),
                          objective_of(plan.figures().epoch.seconds, plan.estimate, objective));
    };
    std::stable_sort(plans.begin(), plans.end(),
                     [&](const Plan& a, const Plan& b) { return key(a) < key(b); });
    int next = 1;
    for (Plan& plan : plans) {
        if (to_choose(plan)) {
            plan.rank = next++;
        }
    }
}

std::vector<Plan> plans_of(const PlanSpace& space, const std::vector<Contender>& contenders,
                           const Confirmed& confirmed, const Evaluator& evaluator,
                           const PlanEstimate& studied_estimate)
{
    std::vector<Plan> plans;
    std::vector<Selection> selections;
    if (!studied_estimate.fits) {
        const Contender studied = studied_contender(space);
        plans.push_back(plan_of(space, studied.selection, studied.role, studied_estimate, {}));
        selections.push_back(studied.selection);
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        const Contender& one = contenders[i];
        plans.push_back(plan_of(space, one.selection, one.role,
                                evaluator.estimate_of(one.selection), confirmed.points.at(i)));
        selections.push_back(one.selection);
    }
    const Plan studied = plans.front();
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Job job = job_of(plans[i].study);
        compare(plans[i], studied, space.effects_of(selections[i]), *job.workload);
    }
    return plans;
}

/// Simulates the contenders as far as the budget goes.
Confirmed confirm_within(const PlanSpace& space, const std::vector<Contender>& contenders,
                         const AdviseOptions& options, const Stopwatch& watch)
{
    std::vector<Selection> selections;
    selections.reserve(contenders.size());
    for (const Contender& contender : contenders) {
        selections.push_back(contender.selection);
    }
    if (interrupted()) {
        return {std::vector<std::optional<report::Point>>(selections.size()), true};
    }
    ConfirmOptions confirmation{
        options.executable, options.jobs, options.quiet, options.catch_signals, {}};
    confirmation.seconds_left = [&] { return options.budget_seconds - watch.seconds(); };
    return confirm(space, selections, confirmation);
}

} // namespace

Advice advise(const Study& study, const AdviseOptions& options)
{
    const Stopwatch watch;
    const PlanSpace space = plan_space(studied_plan(study, options.series),
                                       machines_of(study, options), asked_choices(options));
    const bool needs_price = options.limits.max_cost_usd ||
                             (options.objective == Objective::cost && !options.chips.empty());
    Evaluator evaluator(space, options.objective, options.limits, needs_price);
    const PlanEstimate studied = evaluator.estimate_of(studied_contender(space).selection);
    const SearchResult search = search_plans(space, evaluator, options, watch);
    const std::vector<Contender> contenders =
        contenders_of(space, search.ranked, studied.fits, options.top);
    const Confirmed confirmed = confirm_within(space, contenders, options, watch);
    Advice advice;
    advice.study = space.studied;
    advice.objective = options.objective;
    advice.limits = options.limits;
    advice.search = {search.complete,          search.tried,          search.ranked.size(),
                     evaluator.not_possible(), evaluator.too_large(), space.refused};
    advice.plans = plans_of(space, contenders, confirmed, evaluator, studied);
    for (Plan& plan : advice.plans) {
        Settings set = single_point_settings(study, options.series);
        set.set(plan.set);
        plan.set = std::move(set);
        advice.confirmed.simulated += plan.is_simulated() ? 1 : 0;
        plan.beyond_limits =
            use_of_limits(plan.figures().epoch.seconds, plan.estimate, options.limits) > 1;
    }
    advice.confirmed.complete = advice.confirmed.simulated == contenders.size();
    tell_draws(advice.plans, options.objective, options.limits, options.jobs);
    rank(advice.plans, space, options.objective);
    advice.interrupted = interrupted() || confirmed.interrupted;
    advice.host = {watch.seconds(), options.jobs};
    return advice;
}

} // namespace alxsim::experiments
