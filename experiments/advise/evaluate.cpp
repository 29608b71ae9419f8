// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/evaluate.h"

#include "base/input_error.h"
#include "experiments/job.h"
#include "experiments/machine_request.h"
#include "experiments/point_json.h"
#include "model/job_estimate.h"
#include "model/memory.h"

#include <tuple>

namespace alxsim::experiments {
namespace {

/// The released plan was checked when it was read, and every option alone with it.
Json document_of(const PlanSpace& space, const Place& place)
{
    Json document = space.released.document;
    const Json set = space.set_of(place);
    for (const auto& [pointer, value] : set.items()) {
        document[Json::json_pointer(pointer)] = value;
    }
    return document;
}

/// Times by closed forms, which a search can afford.
void add_estimate(Json& point, const model::Program& program, const topologies::Machine& machine)
{
    const model::Breakdown epoch =
        model::estimate(program, machine, model::ScheduleTimes::closed_form);
    point["epoch_seconds"] = to_seconds(epoch.total).count();
    point["phases"] = Json::object();
    for (const auto& [phase, time] : epoch.phases) {
        point["phases"][phase] = to_seconds(time).count();
    }
    for (std::size_t i = 0; i < model::share_count; ++i) {
        const auto share = static_cast<model::Share>(i);
        point[std::string(model::name_of(share)) + "_seconds"] =
            to_seconds(epoch.share(share)).count();
    }
    add_cost(point, machine);
}

} // namespace

double objective_of(const Json& point, Objective objective)
{
    const double seconds = point.at("epoch_seconds").get<double>();
    return objective == Objective::time ? seconds
                                        : seconds * point.at("machine").at("chips").get<double>();
}

std::shared_ptr<const topologies::Machine> Evaluator::machine_of_plan(const Json& document) const
{
    return machines_.get(document.at("machine").dump(), [&] {
        return std::make_shared<const topologies::Machine>(
            machine_of(document, space_.released.file));
    });
}

Json Evaluator::point_of(const Place& place) const
{
    const Json document = document_of(space_, place);
    const auto machine = machine_of_plan(document);
    const WorkloadPointer workload = workload_of(document, space_.released.file, *machine);
    const model::MemoryFit fit = model::memory_fit(workload->program(), *machine);
    const workloads::Description description = workload->describe();
    Json point{{"machine", machine_json(*machine, document)},
               {"fits", fit.fits()},
               {"memory", memory_json(fit, *machine)},
               {"geometry", description.geometry},
               {"geometry_words", description.geometry_words}};
    add_estimate(point, workload->program(), *machine);
    return point;
}

void Evaluator::note_too_large(const Place& place, double cost)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    ++too_large_;
    if (!best_too_large_ ||
        std::tie(cost, place) < std::tie(best_too_large_->cost, best_too_large_->place)) {
        best_too_large_ = RankedPlace{place, cost};
    }
}

std::optional<double> Evaluator::cost_of(const Place& place)
{
    try {
        const Json point = point_of(place);
        const double cost = objective_of(point, objective_);
        if (point.at("fits").get<bool>()) {
            return cost;
        }
        note_too_large(place, cost);
    } catch (const InputError& error) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++reasons_[error.what()];
    }
    return std::nullopt;
}

Json Evaluator::tally() const
{
    Json reasons = Json::array();
    int refused = 0;
    for (const auto& [why, plans] : reasons_) {
        reasons.push_back({{"why", why}, {"plans", plans}});
        refused += plans;
    }
    Json too_large{{"plans", too_large_}, {"best", nullptr}};
    if (best_too_large_) {
        const Json point = point_of(best_too_large_->place);
        too_large["best"] = {{"changes", space_.words_of(best_too_large_->place)},
                             {"set", space_.set_of(best_too_large_->place)},
                             {"epoch_seconds", point.at("epoch_seconds")},
                             {"memory", point.at("memory")}};
    }
    return {{"not_possible", {{"plans", refused}, {"reasons", reasons}}}, {"too_large", too_large}};
}

} // namespace alxsim::experiments
