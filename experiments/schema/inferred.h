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
    fields("prior", both.prior);
    fields("posterior", both.posterior);
}

template <class Fields>
void list_fields(Fields& fields, OthersPredict& others)
{
    fields.nullable("holds", others.holds, limits::share_of_one);
    fields.nullable("figure", others.figure, "Null where nothing survives.");
}

template <class Fields>
void list_fields(Fields& fields, StatementFinding& statement)
{
    fields("name", statement.name);
    fields("source", statement.source);
    fields("holds_in_prior", statement.holds_in_prior, limits::share_of_one);
    fields.newer("weight", statement.weight,
                 "A draw in which it is false keeps 1 - weight of its own.", limits::share_of_one);
    fields("tolerance", statement.tolerance, "Of a value, as told.", limits::amount);
    fields("allowed", statement.allowed,
           "Deviation from a value, or beyond a bound, with the model's own error.",
           limits::amount);
    fields("agree_with_all_others", statement.agree_with_all_others,
           "Draws in which all other statements hold.");
    fields("others_predict", statement.others_predict);
}

template <class Fields>
void list_fields(Fields& fields, HeldInPart& part)
{
    fields("but", part.but);
    fields("weight", part.weight, limits::share_of_one);
    fields("draws", part.draws, limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, UnknownFinding& unknown)
{
    fields("name", unknown.name);
    fields("unit", unknown.unit);
    fields("of", unknown.of, limits::one_of("machine|code|run"));
    fields("prior", unknown.prior);
    fields.nullable("posterior", unknown.posterior, "Null where nothing survives.");
    fields.unless_empty("ends_of_prior", unknown.ends_of_prior,
                        "Ends of its range that the draws that agree reach as all draws do: what "
                        "is beyond was never asked.",
                        limits::one_of("low|high"));
    fields.newer("lowest", unknown.lowest);
    fields.newer("highest", unknown.highest);
    fields("distance", unknown.distance, "Kolmogorov-Smirnov, in quantiles of the prior.",
           limits::share_of_one);
    fields("constrained", unknown.constrained);
}

template <class Fields>
void list_fields(Fields& fields, Correlation& correlation)
{
    fields("a", correlation.a);
    fields("b", correlation.b);
    fields("r", correlation.r);
}

template <class Fields>
void list_fields(Fields& fields, RejectionCheck& check)
{
    fields("survivors_of_rejection", check.survivors_of_rejection);
    fields("largest_shift_of_a_median_quantile", check.largest_shift_of_a_median_quantile);
    fields("of", check.of);
}

template <class Fields>
void list_fields(Fields& fields, SteadinessFinding& steadiness)
{
    fields("unknown", steadiness.unknown);
    fields("within", steadiness.within);
    fields("draws_for_15_percent", steadiness.draws_for_15_percent);
}

template <class Fields>
void list_fields(Fields& fields, LevelsFinding& levels)
{
    fields("count", levels.count);
    fields("acceptance", levels.acceptance, limits::share_of_one);
    fields("inefficiency", levels.inefficiency, limits::at_least(1));
}

template <class Fields>
void list_fields(Fields& fields, StatedSeconds& stated)
{
    fields("name", stated.name);
    fields("seconds", stated.seconds);
    fields("tolerance", stated.tolerance);
}

template <class Fields>
void list_fields(Fields& fields, PointBands& point)
{
    fields("sweep", point.sweep);
    fields("cores", point.cores);
    fields.nullable("prior", point.prior, "Null where nothing survives.");
    fields.nullable("posterior", point.posterior, "Null where nothing survives.");
    fields.unless_empty("stated", point.stated, "What statements say of this point's interval.");
}

template <class Fields>
void list_fields(Fields& fields, SeriesBands& series)
{
    fields("name", series.name);
    fields.newer("run", series.run, "Whose batches, hosts and data its points have.");
    fields("interval", series.interval, "What its times are of.");
    fields("points", series.points);
    fields.unless_empty("sweet_spot", series.sweet_spot,
                        "Before and after: cores to share of the draws.");
    fields.unless_empty("linear_then_flat", series.linear_then_flat,
                        "Before and after: share of the draws.");
}

template <class Fields>
void list_fields(Fields& fields, BeyondRange& beyond)
{
    fields("name", beyond.name);
    fields("end", beyond.end);
    fields("value", beyond.value);
    fields("factor_missing", beyond.factor_missing);
}

template <class Fields>
void list_fields(Fields& fields, HoldsNowhere& statement)
{
    fields("statement", statement.statement);
    fields("wanted", statement.wanted);
    fields("nearest", statement.nearest);
    fields.unless_empty("beyond", statement.beyond);
}

template <class Fields>
void list_fields(Fields& fields, Contradiction& contradiction)
{
    fields("hold_nowhere", contradiction.hold_nowhere);
    fields("exclude_each_other", contradiction.exclude_each_other);
}

template <class Fields>
void list_fields(Fields& fields, MeasurementRank& rank)
{
    fields("name", rank.name);
    fields("source", rank.source);
    fields("tolerance", rank.tolerance, limits::amount);
    fields.nullable("figure", rank.figure, "Null where nothing survives.");
    fields("expected_ratio", rank.expected_ratio, "After the measurement.", limits::at_least(1));
    fields("narrows", rank.narrows, limits::at_most(1));
}

template <class Fields>
void list_fields(Fields& fields, MeasurementRanking& ranking)
{
    fields("ratio", ranking.ratio, "Of the ends of the band now.", limits::at_least(1));
    fields("list", ranking.list);
    fields("series", ranking.series);
    fields("cores", ranking.cores);
    fields.nullable("band", ranking.band, "Null where nothing survives.");
    fields.unless_empty(
        "left_out", ranking.left_out,
        "Names of measurements of another workload, which say nothing of this one.");
}

template <class Fields>
void list_fields(Fields& fields, SurvivingWorlds& worlds)
{
    fields("unknowns", worlds.unknowns);
    fields("weights", worlds.weights);
    fields("quantiles", worlds.quantiles);
}

template <class Fields>
void list_fields(Fields& fields, Inferred& inferred)
{
    fields("draws", inferred.draws, limits::at_least(1));
    fields("seed", inferred.seed);
    fields("discrepancy", inferred.discrepancy,
           "The model's own relative error, which widens tolerances.", limits::amount);
    fields("run", inferred.run, "The run that most statements are about, or that was asked for.");
    fields("method", inferred.method, limits::one_of("rejection|sequential"));
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
    fields("statements", inferred.statements);
    fields("unknowns", inferred.unknowns, "Those that moved furthest first.");
    fields("levels", inferred.levels,
           "Of method sequential: how often tolerances were halved, the share of moves accepted on "
           "the last level, and how many of its draws are worth one independent draw.");
    fields("checked_against_rejection", inferred.checked_against_rejection);
    fields("correlations", inferred.correlations);
    fields("series", inferred.series);
    fields("contradiction", inferred.contradiction);
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
