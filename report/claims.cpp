// SPDX-License-Identifier: Apache-2.0
#include "report/claims.h"

#include "base/input_error.h"
#include "report/comparisons.h"
#include "report/linear_then_flat.h"

namespace alxsim::report {

const Series& series_named(const std::string& name, const std::vector<Series>& all_series)
{
    std::vector<std::string> names;
    for (const Series& series : all_series) {
        if (series.name == name) {
            return series;
        }
        names.push_back(series.name);
    }
    throw InputError("", "/hypotheses",
                     "no series '" + name + "'" + did_you_mean(name, names) +
                         " (there are: " + join(names) + ")");
}

Judgement judge_hypothesis(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
                           const std::vector<Point>& points)
{
    return hypothesis.is_linear_then_flat()
               ? judge_linear_then_flat(hypothesis, series_named(hypothesis.series, all_series),
                                        points)
               : judge_comparisons(hypothesis, all_series, points);
}

namespace {

/// A claim that cannot be judged is no reason to lose the report: it says why.
Judgement judged_if_possible(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
                             const std::vector<Point>& points)
{
    try {
        return judge_hypothesis(hypothesis, all_series, points);
    } catch (const InputError& error) {
        Judgement result;
        result.name = hypothesis.name;
        result.claim = hypothesis.claim;
        result.series = hypothesis.series;
        result.verdict = "nothing to judge";
        result.figures = {{"comparisons", Json::array()}, {"why", error.problem()}};
        return result;
    }
}

} // namespace

std::vector<Judgement> judge_all(const std::vector<Hypothesis>& hypotheses,
                                 const std::vector<Series>& all_series,
                                 const std::vector<Point>& points)
{
    std::vector<Judgement> results;
    for (const Hypothesis& hypothesis : hypotheses) {
        results.push_back(judged_if_possible(hypothesis, all_series, points));
    }
    return results;
}

} // namespace alxsim::report
