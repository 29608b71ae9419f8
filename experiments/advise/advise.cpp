// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/advise.h"

#include "base/input_error.h"
#include "experiments/advise/confirm.h"
#include "experiments/advise/contenders.h"
#include "experiments/advise/interrupt.h"
#include "experiments/advise/plan_json.h"
#include "experiments/job.h"
#include "experiments/progress.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace alxsim::experiments {
namespace {

constexpr int schema_version = 1;
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

CoreChoice cores_of(const Study& study, const AdviseOptions& options)
{
    const auto& choices = options.choices;
    if (!options.cores.empty() && !choices.empty() &&
        std::find(choices.begin(), choices.end(), "slice") == choices.end()) {
        throw InputError("--cores", std::to_string(options.cores.front()),
                         "takes another slice: --choices needs slice, too");
    }
    if (!options.cores.empty()) {
        return {options.cores, true};
    }
    return {options.keep_cores ? std::vector<int>{} : swept_cores(study, options.series), false};
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
    const Cost cost = [&](const Place& place) { return evaluator.cost_of(place); };
    SearchResult result = beam_search(space.search_space(), cost, search);
    progress.finished(0, "searched " + std::to_string(result.tried) + " plans");
    return result;
}

/// Simulated plans first, each lot by what was to be small. Plans that do not fit have no rank, nor
/// has the released one if its core count is not to choose.
void rank(std::vector<Json>& plans, const PlanSpace& space, Objective objective)
{
    const auto to_choose = [&](const Json& plan) {
        return plan.at("fits").get<bool>() &&
               (space.released_cores || !plan.at("released").get<bool>());
    };
    const auto key = [&](const Json& plan) {
        const Json point{{"epoch_seconds", figures_of(plan).at("epoch_seconds")},
                         {"machine", plan.at("machine")}};
        return std::tuple(!to_choose(plan), !plan.at("fits").get<bool>(), !is_simulated(plan),
                          objective_of(point, objective));
    };
    std::stable_sort(plans.begin(), plans.end(),
                     [&](const Json& a, const Json& b) { return key(a) < key(b); });
    int next = 1;
    for (Json& plan : plans) {
        if (to_choose(plan)) {
            plan["rank"] = next++;
        }
    }
}

Json search_json(const PlanSpace& space, const SearchResult& search, const Evaluator& evaluator)
{
    Json json{
        {"complete", search.complete}, {"tried", search.tried}, {"possible", search.ranked.size()}};
    json.update(evaluator.tally());
    json["refused_options"] = Json::array();
    for (const RefusedOption& option : space.refused) {
        json["refused_options"].push_back({{"option", option.words}, {"why", option.why}});
    }
    return json;
}

std::vector<Json> plans_of(const PlanSpace& space, const std::vector<Contender>& contenders,
                           const Confirmed& confirmed, const Evaluator& evaluator,
                           const Json& released_point)
{
    std::vector<Json> plans;
    std::vector<Place> places;
    const auto add = [&](const Contender& contender, const Json& estimated, const Json& simulated) {
        plans.push_back(plan_json(space, contender.place, contender.role, estimated, simulated));
        places.push_back(contender.place);
    };
    if (!released_point.at("fits").get<bool>()) {
        add(released_contender(space), released_point, Json());
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        add(contenders[i], evaluator.point_of(contenders[i].place), confirmed.points.at(i));
    }
    const Json released = plans.front();
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const Job job = job_of(plans[i].at("study"), space.released.file);
        compare(plans[i], released, space.effects_of(places[i]), *job.workload);
    }
    return plans;
}

/// Simulates the contenders as far as the budget goes.
Confirmed confirm_within(const PlanSpace& space, const std::vector<Contender>& contenders,
                         const AdviseOptions& options, const Stopwatch& watch)
{
    std::vector<Place> places;
    places.reserve(contenders.size());
    for (const Contender& contender : contenders) {
        places.push_back(contender.place);
    }
    if (interrupted()) {
        return {std::vector<Json>(places.size()), true};
    }
    ConfirmOptions confirmation{
        options.executable, options.jobs, options.quiet, options.catch_signals, {}};
    confirmation.seconds_left = [&] { return options.budget_seconds - watch.seconds(); };
    return confirm(space, places, confirmation);
}

} // namespace

Json advise(const Study& study, const AdviseOptions& options)
{
    const Stopwatch watch;
    const PlanSpace space =
        plan_space(released_plan(study, options.series), cores_of(study, options), options.choices);
    Evaluator evaluator(space, options.objective);
    const Json released = evaluator.point_of(released_contender(space).place);
    const SearchResult search = search_plans(space, evaluator, options, watch);
    const std::vector<Contender> contenders =
        contenders_of(space, search.ranked, released.at("fits").get<bool>(), options.top);
    const Confirmed confirmed = confirm_within(space, contenders, options, watch);
    std::vector<Json> plans = plans_of(space, contenders, confirmed, evaluator, released);
    for (Json& plan : plans) {
        Json set = single_point_settings(study, options.series);
        set.update(plan.at("set"));
        plan["set"] = std::move(set);
    }
    tell_best_in_draws(plans, study.file, options.objective);
    rank(plans, space, options.objective);
    const auto simulated = std::count_if(plans.begin(), plans.end(), is_simulated);
    return {{"schema_version", schema_version},
            {"study", space.released.document},
            {"objective", options.objective == Objective::time ? "time" : "cost"},
            {"search", search_json(space, search, evaluator)},
            {"confirmed",
             {{"complete", simulated == static_cast<std::ptrdiff_t>(contenders.size())},
              {"simulated", simulated}}},
            {"plans", plans},
            {"interrupted", interrupted() || confirmed.interrupted},
            {"host", {{"wall_seconds", watch.seconds()}, {"jobs", options.jobs}}}};
}

} // namespace alxsim::experiments
