// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/compare/gate.h"

#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/points/study/study.h"
#include "report/csv.h"
#include "report/report_fields.h"

#include <cmath>
#include <cstdlib>
#include <set>

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

/// A number of a point by its column in points.csv; `side` is "A" or "B".
double number_at(const Json& point, const std::string& column, const std::string& side)
{
    report::PointsTable table;
    table.add(point);
    const std::string text = table.cell(0, column);
    const Json value = Json::parse(text, nullptr, false);
    if (value.is_number()) {
        return value.get<double>();
    }
    throw InputError("--fail-above", column,
                     (text.empty() ? std::string("is no column") : "is no number") +
                         " of a point of " + side + did_you_mean(column, table.columns()) +
                         "; allowed: columns of points.csv that are numbers");
}

/// Columns of points.csv that are to grow: a limit to growth would let them fall in silence.
bool should_grow(const std::string& column)
{
    static const std::set<std::string> columns{"speedup", "efficiency", "throughput.per_second",
                                               "throughput.mfu", "throughput.hfu"};
    return columns.count(column) > 0 ||
           (column.rfind("last_quality.", 0) == 0 && column != "last_quality.objective");
}

std::string percent(double share)
{
    return printed("%.4g %%", 100 * share);
}

std::string in_words(const GateLimit& limit)
{
    return limit.column + " by more than " + percent(limit.fail_above);
}

} // namespace

GateLimit gate_limit(const std::string& words)
{
    GateLimit limit;
    std::string share = words;
    const std::size_t equals = words.rfind('=');
    if (equals != std::string::npos) {
        limit.column = words.substr(0, equals);
        share = words.substr(equals + 1);
    }
    char* end = nullptr;
    const double value = std::strtod(share.c_str(), &end);
    if (limit.column.empty() || end == share.c_str() || std::string(end) != "%" ||
        !std::isfinite(value) || value < 0) {
        throw InputError("--fail-above", words,
                         "allowed: a percentage of 0 or more, like 5%, or that of a column, like "
                         "memory.bytes_per_core=2%");
    }
    if (should_grow(limit.column)) {
        throw InputError("--fail-above", words,
                         "of this column more is better; allowed: columns of which less is, like "
                         "epoch_seconds or cost_usd");
    }
    limit.fail_above = value / 100;
    return limit;
}

Gate judge(const Comparison& comparison, const report::Report& a, const report::Report& b,
           const std::vector<GateLimit>& limits)
{
    Gate gate{limits, true, {}, comparison.only_a};
    for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
        const ComparedPair& pair = comparison.pairs[i];
        expect_alike(pair);
        const Json point_a = json_of(a.points.at(pair.a.point));
        const Json point_b = json_of(b.points.at(pair.b.point));
        for (const GateLimit& limit : limits) {
            const double of_a = number_at(point_a, limit.column, "A");
            const double of_b = number_at(point_b, limit.column, "B");
            if (of_b > of_a + limit.fail_above * std::abs(of_a)) {
                gate.exceeding.push_back(
                    {i, limit.column, of_a, of_b, (of_b - of_a) / std::abs(of_a)});
            }
        }
    }
    gate.passed = gate.exceeding.empty() && gate.missing.empty();
    return gate;
}

void tell_gate(Document& document, const Comparison& comparison, const Gate& gate)
{
    for (const Exceeded& one : gate.exceeding) {
        const ComparedPoint& point = comparison.pairs[one.pair].a;
        document.line("above its limit: " + place_of(point.series, point.sweep) + ": " +
                      one.column + printed(" is %.5g in B, ", one.b) + printed("%.5g in A", one.a) +
                      (one.a != 0 ? ": " + percent(one.above) + " more" : ""));
    }
    for (const LonePoint& point : gate.missing) {
        document.line("not in B: " + place_of(point.series, point.sweep) + ": " + point.why);
    }
    std::vector<std::string> limits;
    for (const GateLimit& limit : gate.limits) {
        limits.push_back(in_words(limit));
    }
    document.line((gate.passed
                       ? "passed: no point of B exceeds A's " + join(limits, ", or its ")
                       : "failed: " + std::to_string(gate.exceeding.size()) + " above a limit, " +
                             std::to_string(gate.missing.size()) + " not in B") +
                  " (central values alone are judged, no bands)");
}

} // namespace alxsim::experiments
