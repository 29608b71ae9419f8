// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/uncertainty/given_worlds.h"

#include "base/input_error.h"
#include "base/schema/json_schema.h"
#include "experiments/schema/inferred.h"

#include <algorithm>
#include <numeric>

namespace alxsim::experiments {
namespace {

std::string told(double value)
{
    return "found " + Json(value).dump();
}

void check_worlds(const SurvivingWorlds& worlds, const std::string& path)
{
    for (std::size_t i = 0; i < worlds.quantiles.size(); ++i) {
        const std::vector<double>& world = worlds.quantiles[i];
        const std::string place = "/worlds/quantiles/" + std::to_string(i);
        if (world.size() != worlds.unknowns.size()) {
            throw InputError(path, place,
                             "found " + std::to_string(world.size()) +
                                 " numbers; allowed: " + std::to_string(worlds.unknowns.size()) +
                                 ", one for each of /worlds/unknowns");
        }
        for (std::size_t j = 0; j < world.size(); ++j) {
            if (!(world[j] >= 0 && world[j] <= 1)) {
                throw InputError(path, place + "/" + std::to_string(j),
                                 told(world[j]) + "; allowed: a quantile from 0 to 1");
            }
        }
    }
    for (std::size_t i = 0; i < worlds.weights.size(); ++i) {
        if (!(worlds.weights[i] >= 0 && worlds.weights[i] <= 1)) {
            throw InputError(path, "/worlds/weights/" + std::to_string(i),
                             told(worlds.weights[i]) + "; allowed: numbers from 0 to 1");
        }
    }
}

} // namespace

GivenWorlds::GivenWorlds(const std::string& path)
{
    const Json result = load_json(path);
    static const std::string schema = json_schema::open_to_new_fields(inferred_schema()).dump();
    validate_json(result, schema, path);
    auto worlds = value_of_file<SurvivingWorlds>(result.at("worlds"), path, "/worlds");
    check_worlds(worlds, path);
    for (const std::string& name : worlds.unknowns) {
        columns_.emplace(name, columns_.size());
    }
    worlds_ = std::move(worlds.quantiles);
    weights_ = std::move(worlds.weights);
    run_ = result.at("run").get<std::string>();
    if (worlds_.size() != weights_.size()) {
        throw InputError(path, "/worlds/weights",
                         "found " + std::to_string(weights_.size()) + "; allowed: " +
                             std::to_string(worlds_.size()) + ", one for each world");
    }
    if (std::all_of(weights_.begin(), weights_.end(), [](double w) { return w == 0; })) {
        throw InputError(path, "/worlds", "no draw survived its statements");
    }
}

std::vector<double> GivenWorlds::column(const workloads::Unknown& unknown, int draws) const
{
    const auto found = columns_.find(
        unknown.of == workloads::UnknownOf::run ? unknown.name + " [" + run_ + "]" : unknown.name);
    if (found == columns_.end()) {
        return {};
    }
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::vector<double> quantiles;
    quantiles.reserve(static_cast<std::size_t>(draws));
    std::size_t world = 0;
    double below = weights_[0];
    for (int i = 0; i < draws; ++i) {
        while (below < (i + 0.5) / draws * all && world + 1 < worlds_.size()) {
            below += weights_[++world];
        }
        quantiles.push_back(worlds_[world].at(found->second));
    }
    return quantiles;
}

} // namespace alxsim::experiments
