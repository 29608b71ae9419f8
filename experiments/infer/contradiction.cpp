// SPDX-License-Identifier: Apache-2.0
#include "experiments/infer/contradiction.h"

#include "base/portable_math.h"
#include "experiments/infer/posterior_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace alxsim::experiments {
namespace {

/// The figure of one statement in all draws in which it is a number.
struct FigureInDraws {
    std::vector<std::size_t> worlds;
    std::vector<double> logs;
    double nearest = 0; ///< to the statement's value
};

FigureInDraws figure_in(const Evidence& evidence, std::size_t s, const Draws& prior)
{
    const double wanted = evidence.statements()[s].condition.value;
    FigureInDraws figure;
    double distance = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < prior.worlds.size(); ++i) {
        const double value = evidence.values_of(s, prior.values[i]).front();
        if (!std::isfinite(value) || value <= 0) {
            continue;
        }
        figure.logs.push_back(portable::log(value));
        figure.worlds.push_back(i);
        const double off = std::abs(portable::log(value / wanted));
        if (off < distance) {
            distance = off;
            figure.nearest = value;
        }
    }
    return figure;
}

/// The three unknowns that the figure follows most, and the end of each beyond which it would have
/// to lie.
Json beyond_json(const std::vector<WorldUnknown>& unknowns, const FigureInDraws& figure,
                 const Draws& prior, double wanted)
{
    const std::vector<double> ones(figure.worlds.size(), 1.0);
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t column = 0; column < unknowns.size(); ++column) {
        std::vector<double> quantiles;
        for (const std::size_t i : figure.worlds) {
            quantiles.push_back(prior.worlds[i][column]);
        }
        ranked.emplace_back(correlation(quantiles, figure.logs, ones), column);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        return std::abs(a.first) > std::abs(b.first);
    });
    Json list = Json::array();
    for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) {
        const auto [r, column] = ranked[i];
        const bool down = (r > 0) == (wanted < figure.nearest);
        list.push_back({{"name", unknowns[column].key},
                        {"end", down ? "low" : "high"},
                        {"value", value_json(unknowns[column], down ? 0 : 1)},
                        {"factor_missing", six_digits(wanted / figure.nearest)}});
    }
    return list;
}

Json nearest_json(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
                  std::size_t s, const Draws& prior)
{
    const Statement& statement = evidence.statements()[s];
    Json json{{"statement", statement.name}};
    if (statement.condition.kind >= Condition::Kind::is) {
        return json;
    }
    const FigureInDraws figure = figure_in(evidence, s, prior);
    json["wanted"] = statement.condition.value;
    json["nearest"] = six_digits(figure.nearest);
    json["beyond"] = beyond_json(unknowns, figure, prior, statement.condition.value);
    return json;
}

} // namespace

Json contradiction_json(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
                        const Draws& prior)
{
    const std::size_t count = evidence.statements().size();
    std::vector<std::vector<bool>> holds(count);
    for (std::size_t s = 0; s < count; ++s) {
        for (const std::vector<double>& values : prior.values) {
            holds[s].push_back(evidence.holds_in(s, values));
        }
    }
    const auto somewhere = [&](std::size_t s) {
        return std::find(holds[s].begin(), holds[s].end(), true) != holds[s].end();
    };
    const auto both = [&](std::size_t s, std::size_t t) {
        for (std::size_t i = 0; i < prior.values.size(); ++i) {
            if (holds[s][i] && holds[t][i]) {
                return true;
            }
        }
        return false;
    };
    Json alone = Json::array();
    Json pairs = Json::array();
    for (std::size_t s = 0; s < count; ++s) {
        if (!somewhere(s)) {
            alone.push_back(nearest_json(unknowns, evidence, s, prior));
            continue;
        }
        for (std::size_t t = 0; t < s; ++t) {
            if (somewhere(t) && !both(s, t)) {
                pairs.push_back({evidence.statements()[t].name, evidence.statements()[s].name});
            }
        }
    }
    return {{"hold_nowhere", alone}, {"exclude_each_other", pairs}};
}

} // namespace alxsim::experiments
