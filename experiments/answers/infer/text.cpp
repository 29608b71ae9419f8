// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "base/text/printed.h"
#include "experiments/answers/infer/infer.h"
#include "report/words.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

using report::in_words;
using report::percent_in_words;

std::string number(const UnknownValue& value)
{
    const double* const amount = std::get_if<double>(&value);
    return amount != nullptr ? in_words(*amount) : std::get<bool>(value) ? "yes" : "no";
}

std::string band(const std::optional<Band>& band, const std::string& unit = "")
{
    return band ? in_words(band->p05) + " .. " + in_words(band->p50) + " .. " +
                      in_words(band->p95) + (unit.empty() ? "" : " " + unit)
                : "none";
}

std::string band(const ValueBand& band, const std::string& unit)
{
    return number(band.p05) + " .. " + number(band.p50) + " .. " + number(band.p95) +
           (unit.empty() ? "" : " " + unit);
}

/// Tells a share of draws: one that percents would round away is "1 in 40,000".
std::string share_in_words(double share)
{
    constexpr double least_percent = 0.0005;
    return share > 0 && share < least_percent ? "1 in " + report::in_words(std::round(1 / share))
                                              : percent_in_words(share);
}

/// "half", or a share.
std::string weight_in_words(double weight)
{
    return weight == 0.5 ? "half" : percent_in_words(weight);
}

std::string parts_in_words(const std::vector<HeldInPart>& parts)
{
    std::string text;
    for (const HeldInPart& part : parts) {
        text += "; " + std::to_string(part.draws) + " with all but '" + join(part.but, "' and '") +
                "', counted at " + weight_in_words(part.weight);
    }
    return text;
}

std::string survivors_in_words(const Inferred& result)
{
    std::string text =
        std::to_string(result.agree_with_all) + " of " + std::to_string(result.draws) +
        " draws agree with all statements" + parts_in_words(result.agree_in_part) +
        ". The model's own error is taken as " + percent_in_words(result.discrepancy) + ".";
    if (result.levels) {
        text += " Too few to draw a band from: draws that agree were sampled in " +
                std::to_string(result.levels->count) + " levels of narrower tolerance, worth " +
                in_words(result.effective) + " independent ones; about " +
                share_in_words(result.share) + " of all draws agree.";
    }
    if (result.checked_against_rejection) {
        text += " Compared with the few that rejection leaves, no constrained unknown's median "
                "moved by more than " +
                in_words(result.checked_against_rejection->largest_shift_of_a_median_quantile) +
                " of its range.";
    }
    if (result.draws_for_enough_survivors) {
        text += " For reliable bands, take " + std::to_string(*result.draws_for_enough_survivors) +
                " draws (--draws).";
    }
    if (result.steadiness) {
        const SteadinessFinding& steadiness = *result.steadiness;
        text += " Another seed may move the bands of constrained unknowns by up to " +
                percent_in_words(steadiness.within) + " (" + steadiness.unknown + ")";
        text += steadiness.draws_for_15_percent
                    ? "; for 15 %, draw " + std::to_string(*steadiness.draws_for_15_percent) +
                          " draws (--draws)."
                    : ".";
    }
    return text;
}

/// What the model's own error makes of a tolerance or a bound; "" for nothing.
std::string widened_in_words(const StatementFinding& one)
{
    const double told = one.tolerance.value_or(0);
    if (!one.allowed || *one.allowed <= told) {
        return "";
    }
    return " (told " +
           (one.tolerance ? "to " + percent_in_words(told) : std::string("as a bound")) +
           "; with the model's own error " + percent_in_words(*one.allowed) +
           (one.tolerance ? "" : " beyond it") + " is allowed)";
}

void tell_statements(Document& document, const std::vector<StatementFinding>& statements)
{
    if (statements.empty()) {
        return;
    }
    document.gap();
    document.heading("Statements: how often each holds before, and what the others predict for it");
    for (const StatementFinding& one : statements) {
        const OthersPredict& others = one.others_predict;
        document.item(one.name + widened_in_words(one) + ": " + share_in_words(one.holds_in_prior) +
                          " of all draws; of " + std::to_string(one.agree_with_all_others) +
                          " that agree with the others, " +
                          (others.holds ? share_in_words(*others.holds) : "-") +
                          (others.figure ? ", with " + band(others.figure) : "") + ".",
                      "- ");
    }
}

/// "8 ns is the prior's lower end"; "" for none.
std::string ends_in_words(const UnknownFinding& one)
{
    std::vector<std::string> words;
    for (const std::string& end : one.ends_of_prior) {
        const UnknownValue& value = end == "low" ? one.lowest : one.highest;
        words.push_back(number(value) + (one.unit.empty() ? "" : " " + one.unit) +
                        " is the prior's " + (end == "low" ? "lower" : "upper") + " end");
    }
    const bool flag = std::holds_alternative<bool>(one.lowest);
    return words.empty() || flag ? "" : ", " + join(words, " and ");
}

std::string unknown_in_words(const UnknownFinding& one)
{
    const std::string distance = " (distance " + in_words(one.distance) + ")";
    return one.name + ": " + band(one.prior, one.unit) + "; now " +
           band(one.posterior.value(), one.unit) + ends_in_words(one) + distance;
}

void tell_unknowns(Document& document, const std::vector<UnknownFinding>& unknowns)
{
    document.gap();
    document.heading("Unknowns (5 .. 50 .. 95 %, before and after)");
    int same = 0;
    for (const UnknownFinding& one : unknowns) {
        if (one.constrained) {
            document.item(unknown_in_words(one), "- ");
        } else {
            ++same;
        }
    }
    document.item(std::to_string(same) + " other unknowns are unchanged.", "- ");
}

void tell_correlations(Document& document, const std::vector<Correlation>& correlations)
{
    if (correlations.empty()) {
        return;
    }
    document.gap();
    document.heading("Correlations among the draws that agree");
    for (const Correlation& one : correlations) {
        document.item(one.a + " and " + one.b +
                          (one.r > 0 ? " rise together" : ": where one is high, the other is low") +
                          " (" + in_words(one.r) + ")",
                      "- ");
    }
}

void tell_shape(Document& document, const std::string& when,
                const std::optional<Named<double>>& sweet_spot,
                const std::optional<double>& linear_then_flat)
{
    if (!sweet_spot) {
        return;
    }
    std::vector<std::string> words;
    for (const auto& [cores, share] : *sweet_spot) {
        words.push_back(cores + " (" + percent_in_words(share) + ")");
    }
    document.paragraph("sweet spot " + when + ": " + join(words) + "; linear, then flat in " +
                           percent_in_words(linear_then_flat.value()),
                       "  ");
}

void tell_series(Document& document, const SeriesBands& series)
{
    const report::IntervalWords interval{series.interval.value_or("epoch"), {}};
    document.gap();
    document.heading(series.name + ", as run '" + series.run + "' has it, seconds " +
                     interval.with_article() + " (5 .. 50 .. 95 %, before and after)");
    constexpr std::size_t prior_columns = 29;
    std::vector<TableRow> rows;
    for (const PointBands& point : series.points) {
        std::string prior = " " + band(point.prior);
        prior.resize(std::max(prior.size(), prior_columns), ' ');
        rows.push_back({printed("%8.0f cores", static_cast<double>(point.cores)), prior,
                        " " + band(point.posterior)});
    }
    document.table({}, rows, {true, false, false});
    tell_shape(document, "before", series.sweet_spot.prior, series.linear_then_flat.prior);
    tell_shape(document, "after", series.sweet_spot.posterior, series.linear_then_flat.posterior);
}

void tell(Document& document, const HoldsNowhere& one)
{
    std::string line = "'" + one.statement + "' holds in no draw";
    if (one.nearest) {
        line += ": the nearest is " + in_words(*one.nearest) + ", not " + in_words(*one.wanted) +
                ". What would have to leave its range:";
        for (const BeyondRange& unknown : one.beyond) {
            line += " " + unknown.name + " beyond " + number(unknown.value) + ",";
        }
        line += " for a factor of " + in_words(one.beyond.at(0).factor_missing);
    }
    document.item(line + ".", "- ");
}

void tell(Document& document, const Contradiction& contradiction)
{
    document.gap();
    document.heading("No draw agrees with all statements.");
    for (const HoldsNowhere& one : contradiction.hold_nowhere) {
        tell(document, one);
    }
    for (const std::vector<std::string>& pair : contradiction.exclude_each_other) {
        document.item("'" + join(pair, "' and '") + "' exclude each other.", "- ");
    }
    if (contradiction.hold_nowhere.empty() && contradiction.exclude_each_other.empty()) {
        document.item("Each statement holds somewhere, and so does each pair: more draws "
                      "(--draws) may find some that agree with all.",
                      "- ");
    }
}

void tell(Document& document, const MeasurementRanking& found)
{
    document.gap();
    document.heading("What to measure first, for " + found.series + " on " +
                     std::to_string(found.cores) + " cores (" + band(found.band, "s") +
                     ": a factor of " + in_words(found.ratio) + " from 5 to 95 %)");
    for (const MeasurementRank& one : found.list) {
        document.item(one.name + ": expected to leave a factor of " + in_words(one.expected_ratio) +
                          " (known to " + percent_in_words(one.tolerance) + "; now anywhere in " +
                          band(one.figure) + ")",
                      "- ");
    }
    if (!found.left_out.empty()) {
        document.paragraph("Left out, of another workload: " + join(found.left_out, "; ") + ".");
    }
}

} // namespace

Document document_of(const Inferred& result)
{
    Document document;
    document.paragraph(survivors_in_words(result));
    tell_statements(document, result.statements);
    if (result.contradiction) {
        tell(document, *result.contradiction);
        return document;
    }
    tell_unknowns(document, result.unknowns);
    tell_correlations(document, result.correlations);
    for (const SeriesBands& series : result.series) {
        tell_series(document, series);
    }
    if (result.measurements) {
        tell(document, *result.measurements);
    }
    return document;
}

} // namespace alxsim::experiments
