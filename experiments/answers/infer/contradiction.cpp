// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/infer/contradiction.h"

#include "base/portable_math.h"
#include "experiments/answers/infer/findings.h"

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
std::vector<BeyondRange> beyond(const std::vector<WorldUnknown>& unknowns,
                                const FigureInDraws& figure, const Draws& prior, double wanted)
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
    std::vector<BeyondRange> list;
    for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) {
        const auto [r, column] = ranked[i];
        const bool down = (r > 0) == (wanted < figure.nearest);
        list.push_back({unknowns[column].key, down ? "low" : "high",
                        value_of(unknowns[column], down ? 0 : 1),
                        six_digits(wanted / figure.nearest)});
    }
    return list;
}

HoldsNowhere nearest_of(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
                        std::size_t s, const Draws& prior)
{
    const Statement& statement = evidence.statements()[s];
    HoldsNowhere told{statement.name, {}, {}, {}};
    if (statement.condition.kind >= Condition::Kind::is) {
        return told;
    }
    const FigureInDraws figure = figure_in(evidence, s, prior);
    told.wanted = statement.condition.value;
    if (figure.worlds.empty()) { // no draw has it: the job never fits
        return told;
    }
    told.nearest = six_digits(figure.nearest);
    told.beyond = beyond(unknowns, figure, prior, statement.condition.value);
    return told;
}

} // namespace

Contradiction contradiction_of(const std::vector<WorldUnknown>& unknowns, const Evidence& evidence,
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
    Contradiction told;
    for (std::size_t s = 0; s < count; ++s) {
        if (!somewhere(s)) {
            told.hold_nowhere.push_back(nearest_of(unknowns, evidence, s, prior));
            continue;
        }
        for (std::size_t t = 0; t < s; ++t) {
            if (somewhere(t) && !both(s, t)) {
                told.exclude_each_other.push_back(
                    {evidence.statements()[t].name, evidence.statements()[s].name});
            }
        }
    }
    return told;
}

} // namespace alxsim::experiments
