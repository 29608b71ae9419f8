// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/findings.h"

#include "base/text/printed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace alxsim::experiments {
namespace {

/// Returns the prior's where there are no quantiles.
ValueBand value_band(const WorldUnknown& unknown, const std::vector<double>& quantiles,
                     const std::vector<double>& weights)
{
    const auto at = [&](double share) {
        return value_of(unknown,
                        quantiles.empty() ? share : weighted_quantile(quantiles, weights, share));
    };
    return {at(low_share), at(0.5), at(high_share)};
}

const char* name_of(UnknownOf of)
{
    return of == UnknownOf::run ? "run" : of == UnknownOf::code ? "code" : "machine";
}

/// What the statements but `s` say of it.
OthersPredict others_predict(const Evidence& evidence, const Draws& prior, const Survivors& others,
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
    return {all > 0 ? std::optional(six_digits(agree / all)) : std::nullopt,
            band_of(values, weights)};
}

/// Ends of a prior, even in (0, 1), at which draws lie as densely as the prior's, or nearly.
std::vector<std::string> ends_of_prior(const std::vector<double>& quantiles,
                                       const std::vector<double>& weights)
{
    constexpr double as_far_out = 1.5;
    std::vector<std::string> ends;
    if (weighted_quantile(quantiles, weights, low_share) < as_far_out * low_share) {
        ends.emplace_back("low");
    }
    if (weighted_quantile(quantiles, weights, high_share) > 1 - as_far_out * (1 - high_share)) {
        ends.emplace_back("high");
    }
    return ends;
}

} // namespace

std::vector<HeldInPart> held_in_part(const Evidence& evidence, const Sample& sample)
{
    std::map<std::vector<std::string>, HeldInPart> parts;
    for (std::size_t k = 0; k < sample.survivors.worlds.size(); ++k) {
        const std::vector<double>& values = sample.draws.values[sample.survivors.worlds[k]];
        std::vector<std::string> but;
        for (std::size_t s = 0; s < evidence.statements().size(); ++s) {
            if (!evidence.holds_in(s, values)) {
                but.push_back(evidence.statements()[s].name);
            }
        }
        if (!but.empty()) {
            HeldInPart& part = parts[but];
            part.but = but;
            part.weight = six_digits(sample.survivors.weights[k]);
            ++part.draws;
        }
    }
    std::vector<HeldInPart> list;
    for (auto& [but, part] : parts) {
        list.push_back(std::move(part));
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const HeldInPart& a, const HeldInPart& b) { return a.draws > b.draws; });
    return list;
}

double six_digits(double value)
{
    return rounded("%.6g", value);
}

std::optional<Band> band_of(const std::vector<double>& values, const std::vector<double>& weights)
{
    if (values.empty()) {
        return std::nullopt;
    }
    return Band{six_digits(weighted_quantile(values, weights, low_share)),
                six_digits(weighted_quantile(values, weights, 0.5)),
                six_digits(weighted_quantile(values, weights, high_share))};
}

UnknownValue value_of(const WorldUnknown& unknown, double quantile)
{
    const double value = unknown.unknown.at(quantile);
    if (unknown.unknown.central.is_boolean()) {
        return value > 0;
    }
    return unknown.unknown.whole ? std::round(value) : six_digits(value);
}

std::vector<StatementFinding> statement_findings(const Evidence& evidence, const Draws& prior)
{
    std::vector<StatementFinding> list;
    for (std::size_t s = 0; s < evidence.statements().size(); ++s) {
        const Statement& statement = evidence.statements()[s];
        const auto held =
            std::count_if(prior.values.begin(), prior.values.end(),
                          [&](const auto& values) { return evidence.holds_in(s, values); });
        const Survivors others = evidence.survivors_of(prior, s);
        const Condition& condition = statement.condition;
        const bool near = condition.kind == Condition::Kind::near;
        std::optional<double> allowed = allowed_deviation(condition, evidence.discrepancy());
        if (allowed) {
            allowed = six_digits(*allowed);
        }
        list.push_back(
            {statement.name, statement.source,
             six_digits(static_cast<double>(held) / static_cast<double>(prior.worlds.size())),
             statement.weight, near ? std::optional(condition.tolerance) : std::nullopt, allowed,
             others.worlds.size(), others_predict(evidence, prior, others, s)});
    }
    return list;
}

std::vector<UnknownFinding> unknown_findings(const std::vector<WorldUnknown>& unknowns,
                                             const Sample& posterior)
{
    const std::vector<double>& weights = posterior.survivors.weights;
    std::vector<std::pair<double, UnknownFinding>> all;
    for (std::size_t column = 0; column < unknowns.size(); ++column) {
        const WorldUnknown& one = unknowns[column];
        const std::vector<double> quantiles = posterior.column(column);
        const double distance = quantiles.empty() ? 0.0 : distance_to_prior(quantiles, weights);
        UnknownFinding finding;
        finding.name = one.key;
        finding.unit = one.unknown.unit;
        finding.of = name_of(one.unknown.of);
        finding.prior = value_band(one, {}, {});
        finding.lowest = value_of(one, 0);
        finding.highest = value_of(one, 1);
        finding.distance = six_digits(distance);
        finding.constrained = distance >= constrained_distance;
        if (!quantiles.empty()) {
            finding.posterior = value_band(one, quantiles, weights);
            finding.ends_of_prior = ends_of_prior(quantiles, weights);
        }
        all.emplace_back(distance, std::move(finding));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<UnknownFinding> list;
    for (auto& [distance, finding] : all) {
        list.push_back(std::move(finding));
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

std::vector<Correlation> correlations_of(const std::vector<WorldUnknown>& unknowns,
                                         const Sample& posterior)
{
    constexpr double worth_telling = 0.3;
    const std::vector<double>& weights = posterior.survivors.weights;
    std::vector<Correlation> list;
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
                list.push_back(
                    {unknowns[moved[k].first].key, unknowns[moved[i].first].key, six_digits(r)});
            }
        }
    }
    return list;
}

RejectionCheck check_of(const std::vector<WorldUnknown>& unknowns, const Sample& posterior,
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
    return {rejection.survivors.worlds.size(), six_digits(largest), name};
}

SurvivingWorlds surviving_worlds(const std::vector<WorldUnknown>& unknowns, const Sample& posterior)
{
    SurvivingWorlds told;
    for (const WorldUnknown& unknown : unknowns) {
        told.unknowns.push_back(unknown.key);
    }
    const Survivors& survivors = posterior.survivors;
    for (std::size_t k = 0; k < survivors.worlds.size() && k < most_worlds_told; ++k) {
        told.weights.push_back(six_digits(survivors.weights[k]));
        const DrawnWorlds::World& world = posterior.draws.worlds[survivors.worlds[k]];
        std::transform(world.begin(), world.end(),
                       std::back_inserter(told.quantiles.emplace_back()), six_digits);
    }
    return told;
}

} // namespace alxsim::experiments
