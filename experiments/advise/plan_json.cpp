// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/plan_json.h"

#include "experiments/advise/reasons.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// What time and money a point takes, without its machine and memory.
Json times_of(const Json& point)
{
    Json times = Json::object();
    for (const char* field :
         {"epoch_seconds", "epoch_seconds_low", "epoch_seconds_high", "fidelity", "confidence",
          "phases", "compute_seconds", "hbm_seconds", "communication_seconds", "host_seconds",
          "idle_seconds", "cost_usd", "energy_joules", "error"}) {
        if (point.contains(field)) {
            times[field] = point.at(field);
        }
    }
    return times;
}

bool prefetches(const Json& study)
{
    static const Json::json_pointer kind("/workload/alx/overlap/kind");
    return study.contains(kind) && study.at(kind) == "prefetch";
}

} // namespace

Json plan_json(const PlanSpace& space, const Place& place, const std::string& role,
               const Json& estimated, const Json& simulated)
{
    Json plan{{"rank", nullptr},
              {"released", space.is_released(place)},
              {"role", role},
              {"changes", space.words_of(place)},
              {"set", space.set_of(place)}};
    for (const char* field : {"machine", "fits", "memory", "geometry"}) {
        plan[field] = estimated.at(field);
    }
    plan["analytic"] = times_of(estimated);
    plan["simulated"] = simulated.is_null() ? Json() : times_of(simulated);
    plan["bound_by"] = bound_of(figures_of(plan));
    plan["study"] = space.study_of(place).document;
    if (simulated.is_object() && simulated.contains("drawn")) {
        plan["drawn"] = simulated.at("drawn").at("epoch_seconds");
    }
    return plan;
}

void tell_best_in_draws(std::vector<Json>& plans, Objective objective)
{
    std::vector<std::size_t> drawn;
    std::size_t draws = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (plans[i].contains("drawn")) {
            drawn.push_back(i);
            draws = plans[i].at("drawn").size();
        }
    }
    const auto cost = [&](std::size_t plan, std::size_t draw) {
        return objective_of({{"epoch_seconds", plans[plan].at("drawn").at(draw)},
                             {"machine", plans[plan].at("machine")}},
                            objective);
    };
    std::vector<int> best(plans.size(), 0);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        ++best[*std::min_element(drawn.begin(), drawn.end(), [&](std::size_t a, std::size_t b) {
            return cost(a, draw) < cost(b, draw);
        })];
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const bool told = plans[i].erase("drawn") > 0;
        plans[i]["best_in_draws"] =
            told ? Json(static_cast<double>(best[i]) / static_cast<double>(draws)) : Json();
    }
}

bool is_simulated(const Json& plan)
{
    const Json& simulated = plan.at("simulated");
    return simulated.is_object() && !simulated.contains("error");
}

const Json& figures_of(const Json& plan)
{
    return plan.at(is_simulated(plan) ? "simulated" : "analytic");
}

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
    plan["why"] = plan.at("released").get<bool>()
                      ? ""
                      : why(before, after, plan.at("set"), prefetches(plan.at("study")));
}

} // namespace alxsim::experiments
