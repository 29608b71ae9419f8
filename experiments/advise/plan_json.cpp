// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/plan_json.h"

#include "experiments/advise/reasons.h"
#include "experiments/uncertainty/uncertainty.h"

#include <algorithm>
#include <limits>

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

} // namespace

Json plan_json(const PlanSpace& space, const Place& place, const std::string& role,
               const Json& estimated, const Json& simulated)
{
    Json plan{{"rank", nullptr},
              {"released", space.is_released(place)},
              {"role", role},
              {"changes", space.words_of(place)},
              {"set", space.set_of(place)}};
    for (const char* field : {"machine", "fits", "memory", "geometry", "geometry_words"}) {
        plan[field] = estimated.at(field);
    }
    plan["analytic"] = times_of(estimated);
    plan["simulated"] = simulated.is_null() ? Json() : times_of(simulated);
    plan["bound_by"] = bound_of(figures_of(plan));
    plan["study"] = space.study_of(place).document;
    return plan;
}

void tell_best_in_draws(std::vector<Json>& plans, const std::string& file, Objective objective)
{
    constexpr int draws = 256;
    std::vector<int> best(plans.size(), 0);
    std::vector<std::vector<double>> costs(draws); // [draw][plan]
    for (const Json& plan : plans) {
        const Json point{{"epoch_seconds", figures_of(plan).at("epoch_seconds")},
                         {"machine", plan.at("machine")}};
        const double scale =
            objective_of(point, objective) / plan.at("analytic").at("epoch_seconds").get<double>();
        const bool fits = plan.at("fits").get<bool>();
        const std::vector<double> seconds =
            fits ? drawn_seconds(plan.at("study"), file, draws)
                 : std::vector<double>(draws, std::numeric_limits<double>::infinity());
        for (std::size_t draw = 0; draw < draws; ++draw) {
            costs[draw].push_back(scale * seconds[draw]);
        }
    }
    for (const std::vector<double>& all : costs) {
        ++best[static_cast<std::size_t>(std::min_element(all.begin(), all.end()) - all.begin())];
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        plans[i]["best_in_draws"] =
            plans[i].at("fits").get<bool>() ? Json(static_cast<double>(best[i]) / draws) : Json();
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

void compare(Json& plan, const Json& released, const std::vector<std::string>& effects,
             const workloads::Workload& workload)
{
    const bool both = is_simulated(plan) && is_simulated(released);
    const char* const figures = both ? "simulated" : "analytic";
    const Json& before = released.at(figures);
    const Json& after = plan.at(figures);
    const bool fits = released.at("fits").get<bool>();
    plan["speedup"] = fits ? Json(before.at("epoch_seconds").get<double>() /
                                  after.at("epoch_seconds").get<double>())
                           : Json();
    plan["why"] = plan.at("released").get<bool>() ? "" : why(before, after, effects, workload);
}

} // namespace alxsim::experiments
