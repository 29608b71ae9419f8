// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/compare/gate.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/study.h"

#include <cmath>
#include <cstdlib>

namespace alxsim::experiments {
namespace {

std::string place_of(const std::string& series, const Settings& sweep)
{
    return "'" + series + "'" + (sweep.empty() ? "" : ", " + settings_in_words(sweep));
}

/// Throws InputError where a ratio of times says nothing of which is faster.
void expect_alike(const ComparedPair& pair)
{
    const auto refuse = [&](const std::string& what, const std::string& a, const std::string& b) {
        throw InputError("--fail-above", "",
                         "cannot judge " + place_of(pair.a.series, pair.a.sweep) + ": " + what +
                             " of A is " + a + ", of B " + b + "; allowed: the same");
    };
    if (pair.a.interval != pair.b.interval) {
        refuse("the interval", pair.a.interval, pair.b.interval);
    }
    if (pair.a.fidelity != pair.b.fidelity) {
        refuse("fidelity", pair.a.fidelity, pair.b.fidelity);
    }
    const double left_out_a = pair.a.left_out_share.value_or(0);
    const double left_out_b = pair.b.left_out_share.value_or(0);
    if (left_out_a != left_out_b) {
        refuse("the share of the data that is left out", printed("%.4g", left_out_a),
               printed("%.4g", left_out_b));
    }
}

} // namespace

double fail_above_of(const std::string& words)
{
    char* end = nullptr;
    const double percent = std::strtod(words.c_str(), &end);
    if (end == words.c_str() || std::string(end) != "%" || !std::isfinite(percent) || percent < 0) {
        throw InputError("--fail-above", words, "allowed: a percentage of 0 or more, like 5%");
    }
    return percent / 100;
}

Gate judge(const Comparison& comparison, double fail_above)
{
    Gate gate{fail_above, true, {}, comparison.only_a};
    for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
        expect_alike(comparison.pairs[i]);
        if (comparison.pairs[i].ratio > 1 + fail_above) {
            gate.exceeding.push_back(i);
        }
    }
    gate.passed = gate.exceeding.empty() && gate.missing.empty();
    return gate;
}

void tell_gate(Document& document, const Comparison& comparison, const Gate& gate)
{
    const std::string limit = printed("%.4g %%", 100 * gate.fail_above);
    for (const std::size_t index : gate.exceeding) {
        const ComparedPair& pair = comparison.pairs[index];
        document.line("slower by more than " + limit + ": " +
                      place_of(pair.a.series, pair.a.sweep) + " takes " +
                      printed("%.5g s", pair.b.epoch_seconds) + " in B, " +
                      printed("%.5g s", pair.a.epoch_seconds) +
                      " in A: " + printed("%.4g %%", 100 * (pair.ratio - 1)) + " more");
    }
    for (const LonePoint& point : gate.missing) {
        document.line("not in B: " + place_of(point.series, point.sweep) + ": " + point.why);
    }
    document.line(
        gate.passed ? "passed: no point of B takes more than " + limit + " longer than A's"
                    : "failed: " + std::to_string(gate.exceeding.size()) + " slower by more than " +
                          limit + ", " + std::to_string(gate.missing.size()) + " not in B");
}

} // namespace alxsim::experiments
