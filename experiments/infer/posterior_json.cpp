// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/posterior_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace alxsim::experiments {
namespace {

/// Of the prior where there are no quantiles.
Json unknown_band(const WorldUnknown& unknown, const std::vector<double>& quantiles,
                  const std::vector<double>& weights)
{
    Json band = Json::object();
    for (const auto& [name, share] :
         {std::pair("low", low_share), std::pair("median", 0.5), std::pair("high", high_share)}) {
        band[name] = value_json(
            unknown, quantiles.empty() ? share : weighted_quantile(quantiles, weights, share));
    }
    return band;
}

const char* name_of(UnknownOf of)
{
    return of == UnknownOf::run ? "run" : of == UnknownOf::code ? "code" : "machine";
}

/// What the statements but `s` say of it.
Json others_predict(const Evidence& evidence, const Draws& prior, const Survivors& others,
                    std::size_t s)
{
    double agree = 0;
    double all = 0;
    std::vector<double> values;
    std::vector<double> weights;
    for (std::size_t k = 0; k < others.worlds.size(); ++k) {
        const std::vector<double>& world = prior.values[others.worlds[k]];
        all += others.weights[k];
        agree += evidence.holds_in(s, world) ? others.weights[k] : 0;
        const double value = evidence.values_of(s, world).front();
        if (evidence.statements()[s].condition.kind < Condition::Kind::shape &&
            std::isfinite(value)) {
            values.push_back(value);
            weights.push_back(others.weights[k]);
        }
    }
    return {{"holds", all > 0 ? Json(six_digits(agree / all)) : Json(nullptr)},
            {"figure", band_json(values, weights)}};
}

} // namespace

double six_digits(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

Json band_json(const std::vector<double>& values, const std::vector<double>& weights)
{
    if (values.empty()) {
        return nullptr;
    }
    return {{"low", six_digits(weighted_quantile(values, weights, low_share))},
            {"median", six_digits(weighted_quantile(values, weights, 0.5))},
            {"high", six_digits(weighted_quantile(values, weights, high_share))}};
}

Json value_json(const WorldUnknown& unknown, double quantile)
{
    const double value = unknown.unknown.at(quantile);
    return unknown.unknown.central.is_boolean() ? Json(value > 0) : Json(six_digits(value));
}

Json statements_json(const Evidence& evidence, const Draws& prior)
{
    Json list = Json::array();
    for (std::size_t s = 0; s < evidence.statements().size(); ++s) {
        const Statement& statement = evidence.statements()[s];
        const auto held =
            std::count_if(prior.values.begin(), prior.values.end(),
                          [&](const auto& values) { return evidence.holds_in(s, values); });
        const Survivors others = evidence.survivors_of(prior, s);
        list.push_back({{"name", statement.name},
                        {"source", statement.source},
                        {"holds_in_prior", six_digits(static_cast<double>(held) /
                                                      static_cast<double>(prior.worlds.size()))},
                        {"agree_with_all_others", others.worlds.size()},
                        {"others_predict", others_predict(evidence, prior, others, s)}});
    }
    return list;
}

Json unknowns_json(const std::vector<WorldUnknown>& unknowns, const Sample& posterior)
{
    const std::vector<double>& weights = posterior.survivors.weights;
    std::vector<std::pair<double, Json>> all;
    for (std::size_t column = 0; column < unknowns.size(); ++column) {
        const WorldUnknown& one = unknowns[column];
        const std::vector<double> quantiles = posterior.column(column);
        const double distance = quantiles.empty() ? 0.0 : distance_to_prior(quantiles, weights);
        all.emplace_back(
            distance, Json{{"name", one.key},
                           {"unit", one.unknown.unit},
                           {"of", name_of(one.unknown.of)},
                           {"prior", unknown_band(one, {}, {})},
                           {"posterior", quantiles.empty() ? Json(nullptr)
                                                           : unknown_band(one, quantiles, weights)},
                           {"distance", six_digits(distance)},
                           {"constrained", distance >= constrained_distance}});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Json list = Json::array();
    for (const auto& [distance, json] : all) {
        list.push_back(json);
    }
    return list;
}

Steadiness steadiness_of(const std::vector<WorldUnknown>& unknowns, const Sample& posterior,
                         double effective)
{
    Steadiness least;
    const std::vector<double>& weights = posterior.survivors.weights;
    for (std::size_t column = 0; column < unknowns.size() && effective > 0; ++column) {
        const std::vector<double> quantiles = posterior.column(column);
        const Unknown& unknown = unknowns[column].unknown;
        if (quantiles.empty() || unknown.central.is_boolean() ||
            distance_to_prior(quantiles, weights) < constrained_distance) {
            continue;
        }
        for (const double share : {low_share, 0.5, high_share}) {
            const double error = 2 * std::sqrt(share * (1 - share) / effective);
            const auto value_at = [&](double at) {
                return unknown.at(weighted_quantile(quantiles, weights, std::clamp(at, 0.0, 1.0)));
            };
            const double middle = value_at(share);
            const double within =
                middle > 0 ? (value_at(share + error) - value_at(share - error)) / 2 / middle : 0;
            if (within > least.within) {
                least = {unknowns[column].key, within};
            }
        }
    }
    return least;
}

Json correlations_json(const std::vector<WorldUnknown>& unknowns, const Sample& posterior)
{
    constexpr double worth_telling = 0.3;
    const std::vector<double>& weights = posterior.survivors.weights;
    Json list = Json::array();
    if (posterior.survivors.effective() < least_to_correlate) {
        return list;
    }
    std::vector<std::pair<std::size_t, std::vector<double>>> moved;
    for (std::size_t column = 0; column < unknowns.size(); ++column) {
        std::vector<double> quantiles = posterior.column(column);
        if (distance_to_prior(quantiles, weights) >= constrained_distance / 2) {
            moved.emplace_back(column, std::move(quantiles));
        }
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const double r = correlation(moved[i].second, moved[k].second, weights);
            if (std::abs(r) >= worth_telling) {
                list.push_back({{"a", unknowns[moved[k].first].key},
                                {"b", unknowns[moved[i].first].key},
                                {"r", six_digits(r)}});
            }
        }
    }
    return list;
}

Json check_json(const std::vector<WorldUnknown>& unknowns, const Sample& posterior,
                const Sample& rejection)
{
    double largest = 0;
    std::string name;
    for (std::size_t column = 0; column < unknowns.size(); ++column) {
        const std::vector<double> quantiles = posterior.column(column);
        if (distance_to_prior(quantiles, posterior.survivors.weights) < constrained_distance) {
            continue;
        }
        const double here = weighted_quantile(quantiles, posterior.survivors.weights, 0.5);
        const double there =
            weighted_quantile(rejection.column(column), rejection.survivors.weights, 0.5);
        if (std::abs(here - there) >= largest) {
            largest = std::abs(here - there);
            name = unknowns[column].key;
        }
    }
    return {{"survivors_of_rejection", rejection.survivors.worlds.size()},
            {"largest_shift_of_a_median_quantile", six_digits(largest)},
            {"of", name}};
}

Json worlds_json(const std::vector<WorldUnknown>& unknowns, const Sample& posterior)
{
    Json json{
        {"unknowns", Json::array()}, {"weights", Json::array()}, {"quantiles", Json::array()}};
    for (const WorldUnknown& unknown : unknowns) {
        json["unknowns"].push_back(unknown.key);
    }
    const Survivors& survivors = posterior.survivors;
    for (std::size_t k = 0; k < survivors.worlds.size() && k < most_worlds_told; ++k) {
        Json quantiles = Json::array();
        for (const double quantile : posterior.draws.worlds[survivors.worlds[k]]) {
            quantiles.push_back(six_digits(quantile));
        }
        json["weights"].push_back(six_digits(survivors.weights[k]));
        json["quantiles"].push_back(quantiles);
    }
    return json;
}

} // namespace alxsim::experiments
