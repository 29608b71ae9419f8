// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "report/band_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alxsim::experiments {

// A result of infer. What a field is stands beside it in list_fields().

/// 5, 50 and 95 %.
struct Band {
    double p05 = 0;
    double p50 = 0;
    double p95 = 0;
};

/// A value of an unknown: a number, or a flag.
using UnknownValue = std::variant<double, bool>;

struct ValueBand {
    UnknownValue p05, p50, p95;
};

template <class T>
struct BeforeAndAfter {
    std::optional<T> prior;
    std::optional<T> posterior;

    bool empty() const { return !prior && !posterior; }
};

/// What the other statements say of one.
struct OthersPredict {
    std::optional<double> holds; ///< share of the worlds that agree with them, if there are any
    std::optional<Band> figure;
};

struct StatementFinding {
    std::string name;
    std::string source;
    double holds_in_prior = 0;
    double weight = 1;
    std::optional<double> tolerance; ///< of one with a value
    /// What the model's own error makes of that, or of a bound.
    std::optional<double> allowed;
    std::size_t agree_with_all_others = 0;
    OthersPredict others_predict;
};

/// Draws in which all hold but some whose weight is below 1.
struct HeldInPart {
    std::vector<std::string> but; ///< statements that are false
    double weight = 0;            ///< that such a draw keeps
    std::size_t draws = 0;
};

struct UnknownFinding {
    std::string name;
    std::string unit;
    std::string of; ///< "machine", "code", "run"
    ValueBand prior;
    std::optional<ValueBand> posterior;
    /// Ends of its range ("low", "high") that the draws that agree reach as all draws do: what is
    /// beyond was never asked.
    std::vector<std::string> ends_of_prior;
    UnknownValue lowest, highest; ///< of that range
    double distance = 0;
    bool constrained = false;
};

struct Correlation {
    std::string a, b;
    double r = 0;
};

struct RejectionCheck {
    std::size_t survivors_of_rejection = 0;
    double largest_shift_of_a_median_quantile = 0;
    std::string of;
};

/// How far another seed may move the bands.
struct SteadinessFinding {
    std::string unknown;
    double within = 0;
    std::optional<std::int64_t> draws_for_15_percent;
};

struct LevelsFinding {
    int count = 0;
    double acceptance = 0;
    double inefficiency = 1;
};

/// What a statement says of a point's epoch.
struct StatedSeconds {
    std::string name;
    double seconds = 0;
    double tolerance = 0;
};

struct PointBands {
    Settings sweep;
    std::int64_t cores = 0;
    std::optional<Band> prior;
    std::optional<Band> posterior;
    std::vector<StatedSeconds> stated;
};

struct SeriesBands {
    std::string name;
    std::string run;                     ///< whose batches, hosts and data its points have
    std::optional<std::string> interval; ///< what its times are of; absent: of an earlier version
    std::vector<PointBands> points;
    BeforeAndAfter<Named<double>> sweet_spot; ///< core count -> share of the worlds
    BeforeAndAfter<double> linear_then_flat;  ///< share of the worlds
};

/// An unknown that would have to leave its range.
struct BeyondRange {
    std::string name;
    std::string end; ///< "low", "high"
    UnknownValue value;
    double factor_missing = 1;
};

struct HoldsNowhere {
    std::string statement;
    std::optional<double> wanted; ///< of one with degrees, as what follows
    std::optional<double> nearest;
    std::vector<BeyondRange> beyond;
};

/// Why no world agrees.
struct Contradiction {
    std::vector<HoldsNowhere> hold_nowhere;
    std::vector<std::vector<std::string>> exclude_each_other; ///< pairs
};

struct MeasurementRank {
    std::string name;
    std::string source;
    double tolerance = 0;
    std::optional<Band> figure; ///< where it lies now
    double expected_ratio = 1;
    double narrows = 0;
};

struct MeasurementRanking {
    double ratio = 1; ///< of the ends of the band now
    std::vector<MeasurementRank> list;
    std::string series; ///< the point that is asked for
    std::int64_t cores = 0;
    std::optional<Band> band;
    std::vector<std::string> left_out = {}; ///< of another workload
};

/// The worlds that survive, for bands and rankings that are given them.
struct SurvivingWorlds {
    std::vector<std::string> unknowns;
    std::vector<double> weights;
    std::vector<std::vector<double>> quantiles; ///< [world][unknown]
};

struct Inferred {
    int draws = 0;
    std::uint64_t seed = 1;
    double discrepancy = 0;
    std::string run;
    std::string method;
    std::size_t survivors = 0; ///< of any weight
    std::size_t agree_with_all = 0;
    std::vector<HeldInPart> agree_in_part;
    double share = 0;
    double effective = 0;
    std::optional<std::int64_t> draws_for_enough_survivors;
    std::optional<SteadinessFinding> steadiness;
    std::vector<StatementFinding> statements;
    std::vector<UnknownFinding> unknowns; ///< that which moved furthest first
    std::optional<LevelsFinding> levels;
    std::optional<RejectionCheck> checked_against_rejection;
    std::vector<Correlation> correlations;
    std::vector<SeriesBands> series;
    std::optional<Contradiction> contradiction;
    std::optional<MeasurementRanking> measurements;
    SurvivingWorlds worlds;
};

template <class Fields>
void list_fields(Fields& fields, Band& band)
{
    report::list_quantiles(fields, band);
}

template <class Fields>
void list_fields(Fields& fields, ValueBand& band)
{
    report::list_quantiles(fields, band);
}

template <class Fields, class T>
void list_fields(Fields& fields, BeforeAndAfter<T>& both)
{
    fields("prior", both.prior, "Of all draws.");
    fields("posterior", both.posterior, "Of the draws that agree.");
}

template <class Fields>
void list_fields(Fields& fields, OthersPredict& others)
{
    fields.nullable("holds", others.holds,
                    "Share of the draws that agree with the others in which it holds, too; null "
                    "where none agree.",
                    limits::share_of_one);
    fields.nullable("figure", others.figure, "What they predict; null where none agree.");
}

template <class Fields>
void list_fields(Fields& fields, StatementFinding& statement)
{
    fields("name", statement.name, "As its file has it.");
    fields("source", statement.source, "Where it is published.");
    fields("holds_in_prior", statement.holds_in_prior, "Share of all draws in which it holds.",
           limits::share_of_one);
    fields.newer("weight", statement.weight,
                 "A draw in which it is false keeps 1 - weight of its own.", limits::share_of_one);
    fields("tolerance", statement.tolerance, "Of a value, as told.", limits::amount);
    fields("allowed", statement.allowed,
           "Deviation from a value, or beyond a bound, with the model's own error.",
           limits::amount);
    fields("agree_with_all_others", statement.agree_with_all_others,
           "Draws in which all other statements hold.");
    fields("others_predict", statement.others_predict, "What the other statements say of it.");
}

template <class Fields>
void list_fields(Fields& fields, HeldInPart& part)
{
    fields("but", part.but, "Statements that are false in them.");
    fields("weight", part.weight, "What such a draw keeps of its weight.", limits::share_of_one);
    fields("draws", part.draws, "How many.", limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, UnknownFinding& unknown)
{
    fields("name", unknown.name, "A preset value, or an unknown of the code or the run.");
    fields("unit", unknown.unit, "Empty: a number or a flag.");
    fields("of", unknown.of, "Whose unknown it is.", limits::one_of("machine|code|run"));
    fields("prior", unknown.prior, "Before.");
    fields.nullable("posterior", unknown.posterior, "Null where nothing survives.");
    fields.unless_empty("ends_of_prior", unknown.ends_of_prior,
                        "Ends of its range that the draws that agree reach as all draws do: what "
                        "is beyond was never asked.",
                        limits::one_of("low|high"));
    fields.newer("lowest", unknown.lowest, "Lower end of its range.");
    fields.newer("highest", unknown.highest, "Upper end of its range.");
    fields("distance", unknown.distance, "Kolmogorov-Smirnov, in quantiles of the prior.",
           limits::share_of_one);
    fields("constrained", unknown.constrained, "Whether the statements narrow or move it.");
}

template <class Fields>
void list_fields(Fields& fields, Correlation& correlation)
{
    fields("a", correlation.a, "An unknown.");
    fields("b", correlation.b, "Another one.");
    fields("r", correlation.r, "Coefficient of their ranks among the draws that agree.");
}

template <class Fields>
void list_fields(Fields& fields, RejectionCheck& check)
{
    fields("survivors_of_rejection", check.survivors_of_rejection,
           "How many draws rejection leaves.");
    fields("largest_shift_of_a_median_quantile", check.largest_shift_of_a_median_quantile,
           "How far levels and rejection put a median apart, in quantiles of the prior.");
    fields("of", check.of, "The unknown that this is of.");
}

template <class Fields>
void list_fields(Fields& fields, SteadinessFinding& steadiness)
{
    fields("unknown", steadiness.unknown, "That which moves most.");
    fields("within", steadiness.within, "The share.");
    fields("draws_for_15_percent", steadiness.draws_for_15_percent,
           "Draws that would bring it to 15 %; absent: it is there.");
}

template <class Fields>
void list_fields(Fields& fields, LevelsFinding& levels)
{
    fields("count", levels.count, "Of levels.");
    fields("acceptance", levels.acceptance, "Share of moves that are accepted on the last level.",
           limits::share_of_one);
    fields("inefficiency", levels.inefficiency,
           "How many of its draws are worth one independent draw.", limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, StatedSeconds& stated)
{
    fields("name", stated.name, "The statement.");
    fields("seconds", stated.seconds, "What it says.");
    fields("tolerance", stated.tolerance, "As told, relative.");
}

template <class Fields>
void list_fields(Fields& fields, PointBands& point)
{
    fields("sweep", point.sweep, "What the sweep sets there.");
    fields("cores", point.cores, "How many.");
    fields.nullable("prior", point.prior, "Null where nothing survives.");
    fields.nullable("posterior", point.posterior, "Null where nothing survives.");
    fields.unless_empty("stated", point.stated, "What statements say of this point's interval.");
}

template <class Fields>
void list_fields(Fields& fields, SeriesBands& series)
{
    fields("name", series.name, "As the study calls it.");
    fields.newer("run", series.run, "Whose batches, hosts and data its points have.");
    fields("interval", series.interval, "What its times are of.");
    fields("points", series.points, "In the order of the sweep.");
    fields.unless_empty("sweet_spot", series.sweet_spot,
                        "Before and after: cores to share of the draws.");
    fields.unless_empty("linear_then_flat", series.linear_then_flat,
                        "Before and after: share of the draws.");
}

template <class Fields>
void list_fields(Fields& fields, BeyondRange& beyond)
{
    fields("name", beyond.name, "An unknown that would have to leave its range.");
    fields("end", beyond.end, "low or high.");
    fields("value", beyond.value, "That end.");
    fields("factor_missing", beyond.factor_missing,
           "By which the figure is still off with the unknown there.");
}

template <class Fields>
void list_fields(Fields& fields, HoldsNowhere& statement)
{
    fields("statement", statement.statement, "Its name.");
    fields("wanted", statement.wanted, "What it says.");
    fields("nearest", statement.nearest, "The nearest figure of all draws.");
    fields.unless_empty("beyond", statement.beyond, "What would have to leave its range.");
}

template <class Fields>
void list_fields(Fields& fields, Contradiction& contradiction)
{
    fields("hold_nowhere", contradiction.hold_nowhere, "Statements that hold in no draw.");
    fields("exclude_each_other", contradiction.exclude_each_other,
           "Pairs that never hold together.");
}

template <class Fields>
void list_fields(Fields& fields, MeasurementRank& rank)
{
    fields("name", rank.name, "As its file has it.");
    fields("source", rank.source, "How to take it.");
    fields("tolerance", rank.tolerance, "How well it can be measured, relative.", limits::amount);
    fields.nullable("figure", rank.figure, "Null where nothing survives.");
    fields("expected_ratio", rank.expected_ratio, "After the measurement.", limits::at_least(1));
    fields("narrows", rank.narrows,
           "Share of the width of the band, in logarithms, that is expected to go.",
           limits::at_most(1));
}

template <class Fields>
void list_fields(Fields& fields, MeasurementRanking& ranking)
{
    fields("ratio", ranking.ratio, "Of the ends of the band now.", limits::at_least(1));
    fields("list", ranking.list, "The most useful first.");
    fields("series", ranking.series, "Of the point that is asked for.");
    fields("cores", ranking.cores, "Of that point.");
    fields.nullable("band", ranking.band, "Null where nothing survives.");
    fields.unless_empty(
        "left_out", ranking.left_out,
        "Names of measurements of another workload, which say nothing of this one.");
}

template <class Fields>
void list_fields(Fields& fields, SurvivingWorlds& worlds)
{
    fields("unknowns", worlds.unknowns, "Names, in the order of the quantiles.");
    fields("weights", worlds.weights, "Of each draw.");
    fields("quantiles", worlds.quantiles, "Of each draw and unknown, within the prior.");
}

template <class Fields>
void list_fields(Fields& fields, Inferred& inferred)
{
    fields("draws", inferred.draws, "How many.", limits::at_least(1));
    fields("seed", inferred.seed, "Of the draws.");
    fields("discrepancy", inferred.discrepancy,
           "The model's own relative error, which widens tolerances.", limits::amount);
    fields("run", inferred.run, "The run that most statements are about, or that was asked for.");
    fields("method", inferred.method, "How draws that agree were found.",
           limits::one_of("rejection|sequential"));
    fields("survivors", inferred.survivors, "Draws in which all statements of weight 1 hold.");
    fields.newer("agree_with_all", inferred.agree_with_all,
                 "Those of them in which all others hold, too.");
    fields.unless_empty("agree_in_part", inferred.agree_in_part,
                        "The rest, by which statements of lower weight are false.");
    fields("share", inferred.share,
           "Of the prior's draws that agree; with method sequential an estimate by levels.",
           limits::share_of_one);
    fields("effective", inferred.effective,
           "Independent draws of equal weight that are worth as much.", limits::amount);
    fields("draws_for_enough_survivors", inferred.draws_for_enough_survivors,
           "Where effective is below 200: about so many draws would do.");
    fields("steadiness", inferred.steadiness,
           "By which share another seed may move an end or the middle of a constrained unknown's "
           "band: two standard errors of the sample's quantile, of the unknown that moves most.");
    fields("statements", inferred.statements, "Each with what the others predict for it.");
    fields("unknowns", inferred.unknowns, "Those that moved furthest first.");
    fields("levels", inferred.levels,
           "Of method sequential: how often tolerances were halved, the share of moves accepted on "
           "the last level, and how many of its draws are worth one independent draw.");
    fields("checked_against_rejection", inferred.checked_against_rejection,
           "Of method sequential: beside the few draws that rejection leaves.");
    fields("correlations", inferred.correlations, "Unknowns that the statements tie together.");
    fields("series", inferred.series, "Curves before and after.");
    fields("contradiction", inferred.contradiction, "Where no draw agrees: why.");
    fields("measurements", inferred.measurements,
           "With --measure: which would narrow the band of one point most, that first.");
    fields("worlds", inferred.worlds,
           "Survivors, for --given: quantiles of each unknown, [draw][unknown].");
}

/// The JSON Schema of a result.
const Json& inferred_schema();

} // namespace alxsim::experiments

template <>
struct alxsim::json_fields::Form<alxsim::experiments::UnknownValue> {
    static Json write(const experiments::UnknownValue& value)
    {
        return std::visit([](auto one) { return Json(one); }, value);
    }
    static void read(const Json& json, experiments::UnknownValue& value)
    {
        value = json.is_boolean() ? experiments::UnknownValue(json.get<bool>())
                                  : experiments::UnknownValue(json.get<double>());
    }
};
