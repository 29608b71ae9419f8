// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/field_words.h"
#include "report/hypothesis.h"
#include "report/series.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

/// A claim that is true in this share of the draws is held.
constexpr double settled_share = 0.95;

/// A hypothesis, judged. Where the points have draws, `share` is the share of draws in which the
/// claim is true: "held" from settled_share on, "refuted" where the opposite is as sure, "not flat
/// yet" in at least half, else "undecided". Without draws the verdict is that of the central
/// values. With no point, "nothing to judge".
struct Judgement {
    std::string name;
    std::string claim;
    std::string series;
    std::string verdict;
    std::optional<bool> holds; ///< of "held" and "refuted"
    std::optional<double> share;
    std::optional<double> not_flat_yet_share;
    std::optional<int> draws;
    Json figures = Json::object(); ///< what it rests on; `why` says it in words

    std::string why() const { return figures.value("why", ""); }

    /// "refuted, true in 3.1% of 256 draws".
    std::string verdict_in_words() const;
};

template <class Fields>
void list_fields(Fields& fields, Judgement& judgement)
{
    fields("name", judgement.name, "As the study calls it.");
    fields("claim", judgement.claim, "The study's words.");
    fields.newer("series", judgement.series, "The curve that it is about.");
    fields.newer("verdict", judgement.verdict,
                 "held: true in 95 % of the draws; refuted: in 5 % at most; without draws, of the "
                 "central values.",
                 limits::one_of("held|refuted|undecided|not flat yet|nothing to judge"));
    fields.nullable("holds", judgement.holds,
                    "null: undecided, not flat yet, or nothing to judge.");
    fields("share", judgement.share, "Share of the draws in which the claim is true.",
           limits::share_of_one);
    fields("not_flat_yet_share", judgement.not_flat_yet_share,
           "Of linear_then_flat: the share of the draws in which the curve still falls at its end.",
           limits::share_of_one);
    fields("draws", judgement.draws, "On how many the verdict rests.", limits::amount);
    fields("figures", judgement.figures, "What the verdict rests on; why says it in words.");
}

/// Throws InputError where a series, a field or a comparison does not exist.
Judgement judge_hypothesis(const Hypothesis& hypothesis, const std::vector<Series>& all_series,
                           const std::vector<Point>& points);

/// All claims, in their order.
std::vector<Judgement> judge_all(const std::vector<Hypothesis>& hypotheses,
                                 const std::vector<Series>& all_series,
                                 const std::vector<Point>& points);

} // namespace alxsim::report
