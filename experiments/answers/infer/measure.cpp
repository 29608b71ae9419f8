// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/measure.h"

#include "base/portable_math.h"
#include "experiments/answers/infer/curves.h"
#include "experiments/answers/infer/findings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace alxsim::experiments {
namespace {

constexpr std::size_t least_that_stay = 50;
double log_ratio(const std::vector<double>& values, const std::vector<double>& weights)
{
    return values.empty() ? 0.0
                          : portable::log(weighted_quantile(values, weights, high_share) /
                                          weighted_quantile(values, weights, low_share));
}

/// Worlds in which both are numbers, in the order of what is found.
MeasuredWorlds in_order(const MeasuredWorlds& worlds)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < worlds.found.size(); ++i) {
        if (std::isfinite(worlds.found[i]) && std::isfinite(worlds.asked[i])) {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return worlds.found[a] < worlds.found[b];
    });
    MeasuredWorlds sorted;
    for (const std::size_t i : order) {
        sorted.found.push_back(worlds.found[i]);
        sorted.asked.push_back(worlds.asked[i]);
        sorted.weights.push_back(worlds.weights[i]);
    }
    return sorted;
}

/// The range of sorted worlds that stay if the i-th is the true one.
std::pair<std::size_t, std::size_t> neighbours(const std::vector<double>& found, std::size_t i,
                                               double tolerance)
{
    const double low = found[i] * (1 - tolerance);
    const double high = found[i] * (1 + tolerance);
    auto begin =
        static_cast<std::size_t>(std::lower_bound(found.begin(), found.end(), low) - found.begin());
    auto end = static_cast<std::size_t>(std::upper_bound(found.begin(), found.end(), high) -
                                        found.begin());
    while (end - begin < std::min(least_that_stay, found.size())) {
        const bool down = end == found.size() ||
                          (begin > 0 && found[i] - found[begin - 1] < found[end] - found[i]);
        down ? --begin : ++end;
    }
    return {begin, end};
}

} // namespace

double expected_ratio(const MeasuredWorlds& worlds, double tolerance)
{
    const MeasuredWorlds sorted = in_order(worlds);
    double sum = 0;
    double weight = 0;
    for (std::size_t i = 0; i < sorted.found.size(); ++i) {
        const auto [begin, end] = neighbours(sorted.found, i, tolerance);
        const auto part = [first = begin, last = end](const std::vector<double>& all) {
            return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                       all.begin() + static_cast<std::ptrdiff_t>(last));
        };
        sum += sorted.weights[i] * log_ratio(part(sorted.asked), part(sorted.weights));
        weight += sorted.weights[i];
    }
    return weight > 0 ? portable::exp(sum / weight) : 1.0;
}

MeasurementRanking ranking_of(const DrawnWorlds& worlds, const Evidence& measurements,
                              const Sample& posterior, std::size_t asked, double discrepancy,
                              HostPool& pool)
{
    std::vector<DrawnWorlds::World> chosen;
    std::vector<const DrawnWorlds::World*> pointers;
    MeasuredWorlds measured;
    const Survivors& survivors = posterior.survivors;
    for (std::size_t k = 0; k < survivors.worlds.size() && k < most_worlds_told; ++k) {
        pointers.push_back(&posterior.draws.worlds[survivors.worlds[k]]);
        chosen.push_back(*pointers.back());
        measured.weights.push_back(survivors.weights[k]);
    }
    for (const std::vector<double>& seconds : curves_in(worlds, asked, 1, pointers, pool)) {
        measured.asked.push_back(seconds.front());
    }
    const Draws found = measurements.draw(std::move(chosen), pool);
    const MeasuredWorlds unmeasured = in_order({measured.asked, measured.asked, measured.weights});
    const double now = log_ratio(unmeasured.asked, unmeasured.weights);
    std::vector<std::pair<double, MeasurementRank>> ranked;
    for (std::size_t s = 0; s < measurements.statements().size(); ++s) {
        const Statement& one = measurements.statements()[s];
        measured.found.clear();
        for (const std::vector<double>& values : found.values) {
            measured.found.push_back(measurements.values_of(s, values).front());
        }
        const double tolerance = std::sqrt(one.condition.tolerance * one.condition.tolerance +
                                           discrepancy * discrepancy);
        const MeasuredWorlds sorted = in_order(measured);
        const double ratio = expected_ratio(measured, tolerance);
        ranked.emplace_back(
            ratio, MeasurementRank{one.name, one.source, one.condition.tolerance,
                                   band_of(sorted.found, sorted.weights), six_digits(ratio),
                                   now > 0 ? six_digits(1 - portable::log(ratio) / now) : 0.0});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    MeasurementRanking told;
    told.ratio = six_digits(portable::exp(now));
    for (auto& [ratio, rank] : ranked) {
        told.list.push_back(std::move(rank));
    }
    return told;
}

} // namespace alxsim::experiments
