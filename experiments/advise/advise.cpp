// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/advise.h"

#include "base/input_error.h"
#include "experiments/advise/confirm.h"
#include "experiments/advise/interrupt.h"
#include "experiments/advise/reasons.h"
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

std::vector<int> cores_of(const Study& study, const AdviseOptions& options)
{
    return options.keep_cores || !options.cores.empty() ? options.cores
                                                        : swept_cores(study, options.series);
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

/// The released plan if it fits, then the best of each kind that is not it.
std::vector<Place> chosen_places(const PlanSpace& space, const SearchResult& search,
                                 const Json& released, int top)
{
    const Place released_place(space.axes.size(), 0);
    std::vector<Place> places;
    if (released.at("fits").get<bool>()) {
        places.push_back(released_place);
    }
    const auto count = static_cast<std::size_t>(top) + 1;
    const std::size_t most = places.size() + static_cast<std::size_t>(top);
    for (const RankedPlace& one : best_of_families(search.ranked, space.kind_axes(), count)) {
        if (one.place != released_place && places.size() < most) {
            places.push_back(one.place);
        }
    }
    return places;
}

/// What time and money a point takes, without its machine and memory.
Json times_of(const Json& point)
{
    Json times = Json::object();
    for (const char* field :
         {"epoch_seconds", "epoch_seconds_low", "epoch_seconds_high", "fidelity", "confidence",
          "phases", "compute_seconds", "hbm_seconds", "communication_seconds", "host_seconds",
          "idle_seconds", "cost_usd", "energy_joules", "error"}) {
        if (point.contains(field)) {
            times[field] = point[field];
        }
    }
    return times;
}

bool is_simulated(const Json& plan)
{
    return plan.at("simulated").is_object() && !plan["simulated"].contains("error");
}

Json plan_json(const PlanSpace& space, const Place& place, const Json& estimated,
               const Json& simulated)
{
    Json plan{{"rank", nullptr},
              {"released", space.is_released(place)},
              {"changes", space.words_of(place)},
              {"set", space.set_of(place)}};
    for (const char* field : {"machine", "fits", "memory", "geometry"}) {
        plan[field] = estimated.at(field);
    }
    plan["analytic"] = times_of(estimated);
    plan["simulated"] = simulated.is_null() ? Json() : times_of(simulated);
    plan["bound_by"] = bound_of(is_simulated(plan) ? plan["simulated"] : plan["analytic"]);
    plan["study"] = space.study_of(place).document;
    return plan;
}

/// Against the released plan, simulated against simulated where there are both.
void compare(Json& plan, const Json& released)
{
    const bool both = is_simulated(plan) && is_simulated(released);
    const char* const figures = both ? "simulated" : "analytic";
    const Json& before = released.at(figures);
    const Json& after = plan.at(figures);
    const bool fits = released.at("fits").get<bool>();
    plan["speedup"] = fits ? Json(before.at("epoch_seconds").get<double>() /
                                  after.at("epoch_seconds").get<double>())
                           : Json();
    plan["why"] = plan.at("released").get<bool>() ? "" : why(before, after, plan.at("set"));
}

/// Simulated plans first, each lot by what was to be small; plans that do not fit have no rank.
void rank(std::vector<Json>& plans, Objective objective)
{
    const auto key = [objective](const Json& plan) {
        const Json& times = is_simulated(plan) ? plan["simulated"] : plan["analytic"];
        const Json point{{"epoch_seconds", times["epoch_seconds"]}, {"machine", plan["machine"]}};
        return std::tuple(!plan["fits"].get<bool>(), !is_simulated(plan),
                          objective_of(point, objective));
    };
    std::stable_sort(plans.begin(), plans.end(),
                     [&](const Json& a, const Json& b) { return key(a) < key(b); });
    int next = 1;
    for (Json& plan : plans) {
        if (plan["fits"].get<bool>()) {
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

std::vector<Json> plans_of(const PlanSpace& space, const std::vector<Place>& places,
                           const Confirmed& confirmed, const Evaluator& evaluator,
                           const Json& released_point)
{
    const Place released_place(space.axes.size(), 0);
    std::vector<Json> plans;
    if (!released_point.at("fits").get<bool>()) {
        plans.push_back(plan_json(space, released_place, released_point, Json()));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        plans.push_back(
            plan_json(space, places[i], evaluator.point_of(places[i]), confirmed.points.at(i)));
    }
    const Json released = plans.front();
    for (Json& plan : plans) {
        compare(plan, released);
    }
    return plans;
}

} // namespace

Json advise(const Study& study, const AdviseOptions& options)
{
    const InterruptWatch interrupts;
    const Stopwatch watch;
    const PlanSpace space =
        plan_space(released_plan(study, options.series), cores_of(study, options));
    Evaluator evaluator(space, options.objective);
    const Json released = evaluator.point_of(Place(space.axes.size(), 0));
    const SearchResult search = search_plans(space, evaluator, options, watch);
    const std::vector<Place> places = chosen_places(space, search, released, options.top);
    ConfirmOptions confirmation{options.jobs, options.quiet, {}};
    confirmation.stop = [&] { return watch.seconds() > options.budget_seconds; };
    Confirmed confirmed;
    confirmed.points.resize(places.size());
    if (!interrupted()) {
        confirmed = confirm(space, places, confirmation);
    }
    std::vector<Json> plans = plans_of(space, places, confirmed, evaluator, released);
    for (Json& plan : plans) {
        Json set = single_point_settings(study, options.series);
        set.update(plan["set"]);
        plan["set"] = std::move(set);
    }
    rank(plans, options.objective);
    const auto simulated = std::count_if(plans.begin(), plans.end(), is_simulated);
    return {{"schema_version", schema_version},
            {"study", space.released.document},
            {"objective", options.objective == Objective::time ? "time" : "cost"},
            {"search", search_json(space, search, evaluator)},
            {"confirmed",
             {{"complete", simulated == static_cast<std::ptrdiff_t>(places.size())},
              {"simulated", simulated}}},
            {"plans", plans},
            {"interrupted", interrupted() || confirmed.interrupted},
            {"host", {{"wall_seconds", watch.seconds()}, {"jobs", options.jobs}}}};
}

} // namespace alxsim::experiments
