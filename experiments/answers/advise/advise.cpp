// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/advise.h"

#include "base/input_error.h"
#include "base/work/stop.h"
#include "experiments/answers/advise/confirm.h"
#include "experiments/answers/advise/contenders.h"
#include "experiments/answers/advise/evaluate.h"
#include "experiments/answers/advise/machine_table.h"
#include "experiments/answers/advise/plan.h"
#include "experiments/runs/processes/interrupt.h"
#include "experiments/runs/progress/progress.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <tuple>

namespace alxsim::experiments {
namespace {

/// Shares of the budget, at which the search ends, and simulations do; the rest is for bands.
constexpr double search_share = 0.5;
constexpr double table_share = 0.7; ///< where it is asked for
constexpr double simulation_share = 0.9;

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

bool is_interrupted(const AdviseOptions& options)
{
    return interrupted() || (options.stop && options.stop());
}

/// Says when this share of the budget is over, or a signal came.
std::function<bool()> stop_at(double share, const AdviseOptions& options, const Stopwatch& watch)
{
    return [&watch, &options, limit = share * options.budget_seconds] {
        return watch.seconds() > limit || is_interrupted(options);
    };
}

/// Whether `work` was done before `stop`.
template <class Work>
bool done_before(const std::function<bool()>& stop, const Work& work)
{
    const StopScope scope(stop);
    try {
        look_for_stop();
        work();
        return true;
    } catch (const Stopped&) {
        return false;
    }
}

SearchOptions search_options(const AdviseOptions& options, const std::function<bool()>& stop)
{
    SearchOptions search;
    search.threads = options.jobs;
    search.stop = stop;
    return search;
}

SearchResult search_plans(const PlanSpace& space, Evaluator& evaluator,
                          const AdviseOptions& options, const Stopwatch& watch)
{
    const double limit = search_share * options.budget_seconds;
    const std::function<bool()> stop = stop_at(search_share, options, watch);
    const StopScope scope(stop);
    Progress progress({1}, options.quiet);
    SearchOptions search = search_options(options, stop);
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

/// Contenders with what the model says of them; those of which it had no time to say anything are
/// left out.
struct Estimated {
    std::vector<Contender> contenders;
    std::vector<PlanEstimate> estimates;
};

/// By all of their steps as far as there is time, else as they were searched by.
Estimated estimated(const std::vector<Contender>& contenders, const Evaluator& evaluator,
                    const std::optional<PlanEstimate>& studied, const std::function<bool()>& stop)
{
    Estimated told;
    for (const Contender& contender : contenders) {
        std::optional<PlanEstimate> estimate;
        if (contender.studied) {
            estimate = studied;
        } else {
            done_before(stop, [&] { estimate = evaluator.estimate_of(contender.selection); });
        }
        const PlanEstimate* const searched = evaluator.found(contender.selection);
        if (estimate || searched != nullptr) {
            told.contenders.push_back(contender);
            told.estimates.push_back(estimate ? std::move(*estimate) : *searched);
        }
    }
    return told;
}

std::vector<Plan> plans_of(const PlanSpace& space, const Estimated& told,
                           const Confirmed& confirmed)
{
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < told.contenders.size(); ++i) {
        const Contender& one = told.contenders[i];
        plans.push_back(
            plan_of(space, one.selection, one.role, told.estimates[i], confirmed.points.at(i)));
    }
    if (!plans.empty() && plans.front().as_studied) {
        const Plan studied = plans.front();
        for (std::size_t i = 0; i < plans.size(); ++i) {
            compare(plans[i], studied, space.effects_of(told.contenders[i].selection));
        }
    }
    return plans;
}

/// Simulates the contenders that fit as far as the budget goes.
Confirmed confirm_within(const PlanSpace& space, const Estimated& told,
                         const AdviseOptions& options, const Stopwatch& watch)
{
    Confirmed all{std::vector<std::optional<report::Point>>(told.contenders.size())};
    std::vector<Selection> selections;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < told.contenders.size(); ++i) {
        if (told.estimates[i].fits) {
            selections.push_back(told.contenders[i].selection);
            places.push_back(i);
        }
    }
    const std::function<bool()> stop = stop_at(simulation_share, options, watch);
    if (selections.empty() || stop()) {
        return all;
    }
    Confirmed confirmed =
        confirm(space, selections,
                {options.executable, options.jobs, options.quiet, options.catch_signals, stop});
    for (std::size_t i = 0; i < places.size(); ++i) {
        all.points[places[i]] = std::move(confirmed.points[i]);
    }
    return all;
}

/// Whether two plans lay one mesh in other words, and differ in nothing else that is told.
bool are_the_same(const PlanEstimate& a, const PlanEstimate& b)
{
    return a.geometry.contains("mesh") && a.geometry == b.geometry &&
           a.geometry_words == b.geometry_words && a.machine.chip == b.machine.chip &&
           a.machine.slice == b.machine.slice && a.times.epoch.seconds == b.times.epoch.seconds;
}

/// Without plans that are the same as one before them.
std::vector<RankedSelection> told_once(const std::vector<RankedSelection>& ranked,
                                       const Evaluator& evaluator)
{
    std::vector<RankedSelection> kept;
    for (const RankedSelection& one : ranked) {
        const PlanEstimate* const plan = evaluator.found(one.selection);
        bool known = false;
        for (auto other = kept.rbegin(); other != kept.rend() && other->cost == one.cost; ++other) {
            const PlanEstimate* const before = evaluator.found(other->selection);
            known = known || (plan != nullptr && before != nullptr && are_the_same(*before, *plan));
        }
        if (!known) {
            kept.push_back(one);
        }
    }
    return kept;
}

SearchTold search_told(const PlanSpace& space, const SearchResult& search,
                       const Evaluator& evaluator, const AdviseOptions& options)
{
    SearchTold told{search.complete,
                    search.tried,
                    search.ranked.size(),
                    {search.single.tried, search.single.all},
                    {search.pairs.tried, search.pairs.all},
                    {},
                    evaluator.not_possible(),
                    evaluator.too_large(),
                    space.refused};
    if (!options.chips.empty()) {
        told.chips_without_plan = evaluator.chips_without_plan();
    }
    for (std::size_t axis = 0; axis < search.untried.size(); ++axis) {
        const Choice& choice = space.choices.list[axis];
        UntriedTold untried{choice.name, {}};
        for (const int option : search.untried[axis]) {
            untried.options.push_back(choice.options[static_cast<std::size_t>(option)].words);
        }
        if (!untried.options.empty()) {
            told.untried.push_back(std::move(untried));
        }
    }
    return told;
}

/// Plans as they are told, from where the search has ended.
void tell_plans(Advice& advice, const Study& study, const PlanSpace& space,
                const AdviseOptions& options, const Estimated& told, const Stopwatch& watch)
{
    const Confirmed confirmed = confirm_within(space, told, options, watch);
    advice.plans = plans_of(space, told, confirmed);
    const Settings single = single_point_settings(study, options.series);
    std::size_t fitting = 0;
    for (Plan& plan : advice.plans) {
        Settings set = single;
        set.set(plan.set);
        plan.set = std::move(set);
        fitting += plan.estimate.fits ? 1 : 0;
        advice.confirmed.simulated += plan.is_simulated() ? 1 : 0;
        plan.beyond_limits =
            use_of_limits(plan.figures().epoch.seconds, plan.estimate, options.limits) > 1;
    }
    advice.confirmed.complete = advice.confirmed.simulated == fitting;
    advice.drawn = done_before(stop_at(1, options, watch), [&] {
        tell_draws(advice.plans, options.objective, options.limits, options.jobs);
    });
    rank(advice.plans, space, options.objective);
}

} // namespace

Advice advise(const Study& study, const AdviseOptions& options)
{
    const Stopwatch watch;
    const std::function<bool()> over = stop_at(1, options, watch);
    Advice advice;
    advice.study = studied_plan(study, options.series);
    advice.objective = options.objective;
    advice.limits = options.limits;
    advice.counted = options.counted;
    advice.search.complete = advice.confirmed.complete = false;
    std::optional<PlanSpace> space;
    done_before(over, [&] {
        space = plan_space(advice.study, machines_of(study, options), asked_choices(options));
    });
    if (space) {
        advice.interval = interval_words(*space->studied_job->workload);
        const bool needs_price = options.limits.max_cost_usd ||
                                 (options.objective == Objective::cost && !options.chips.empty());
        Evaluator evaluator(*space, options.objective, options.limits, needs_price);
        std::optional<PlanEstimate> studied;
        const Selection own = studied_contender(*space).selection;
        done_before(over, [&] { studied = evaluator.estimate_of(own); });
        const SearchResult search = search_plans(*space, evaluator, options, watch);
        if (options.table) {
            advice.table = machine_table(*space, evaluator, search.ranked, options,
                                         stop_at(table_share, options, watch));
        }
        advice.search = search_told(*space, search, evaluator, options);
        const std::vector<Contender> contenders =
            contenders_of(*space, told_once(search.ranked, evaluator), options.top);
        tell_plans(advice, study, *space, options, estimated(contenders, evaluator, studied, over),
                   watch);
    }
    advice.interrupted = is_interrupted(options);
    advice.host = {watch.seconds(), options.jobs};
    return advice;
}

} // namespace alxsim::experiments
