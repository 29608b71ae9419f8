// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "report/band_fields.h"
#include "report/report.h"
#include "workloads/sketch.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::experiments {

/// Which point of B is held against a point of A.
enum class CompareBy {
    sweep,   ///< the one whose sweep set the same values
    cores,   ///< the one with as many cores
    chips,   ///< the one with as many chips
    dollars, ///< the fastest whose interval costs no more dollars
    joules   ///< the fastest whose interval takes no more energy
};

/// "sweep", "cores", "chips", "dollars", "joules".
std::vector<std::string> names_of_compare_by();
std::string name_of(CompareBy by);
/// Throws std::out_of_range for a name that is none of these.
CompareBy compare_by(const std::string& name);

struct CompareOptions {
    CompareBy by = CompareBy::sweep;
    /// Series of A -> series of B. Empty: those of one name; of two reports with one series each,
    /// these.
    std::vector<std::pair<std::string, std::string>> series;
};

/// What a comparison tells of a point.
struct ComparedPoint {
    std::size_t point = 0; ///< index into its report's points
    std::string series;
    Settings sweep;
    std::string machine; ///< its id; "": of a report of an earlier version
    std::string interval;
    std::string fidelity;
    std::string chip;
    std::int64_t cores = 0;
    std::int64_t chips = 0;
    double epoch_seconds = 0;
    std::optional<double> cost_usd;
    std::optional<double> energy_joules;
    Named<std::optional<double>> metrics; ///< after the last interval
    std::optional<double> left_out_share; ///< of its work, see report::LeftOut
};

struct ComparedPair {
    ComparedPoint a;
    ComparedPoint b;
    double ratio = 1;                 ///< B's seconds over A's
    std::optional<double> ratio_low;  ///< 5 % of the draws are below, ...
    std::optional<double> ratio_high; ///< ... 5 % above; absent where the draws differ
    /// How far apart the matrices are that both trained; of points whose numbers were computed.
    std::vector<workloads::SketchDistance> sketches = {};
};

/// A point with a time that has none to be held against.
struct LonePoint {
    std::string series;
    Settings sweep;
    std::string why; ///< words
};

/// Two reports, point by point.
struct Comparison {
    CompareBy by = CompareBy::sweep;
    std::size_t points_a = 0;
    std::size_t points_b = 0;
    std::vector<ComparedPair> pairs; ///< in the order of A's points
    /// Chips of points with results that have no price, where dollars are told.
    std::vector<std::string> without_price = {};
    std::vector<LonePoint> only_a = {}; ///< of the series that are compared
    std::vector<LonePoint> only_b = {}; ///< the same; told by sweep alone
};

/// Finds the pairs. But for `sweep`, what else is swept must have equal values; what is swept below
/// /machine need not. Only points with results count. Throws InputError for a series that is not
/// there.
Comparison compare_reports(const report::Report& a, const report::Report& b,
                           const CompareOptions& options);

/// Whether B has a series that one of A is held against, timed or not.
bool has_common_series(const report::Report& a, const report::Report& b,
                       const CompareOptions& options);

/// For people: a table.
Document document_of(const Comparison& comparison);

/// What the reports have, for people whose comparison found no pair: what became of A's points in
/// B, and how to pair others.
std::string why_no_pair(const report::Report& a, const report::Report& b,
                        const CompareOptions& options);

template <class Fields>
void list_fields(Fields& fields, ComparedPoint& point)
{
    fields("point", point.point, "Index into its report's points.");
    fields("series", point.series, "Its series.");
    fields("sweep", point.sweep, "What the sweep set there.");
    fields("machine", point.machine, "The machine's id; empty: of a report of an earlier version.");
    fields("interval", point.interval, "What its time is of: a training step, for instance.");
    fields("fidelity", point.fidelity, "How it was timed.");
    fields("chip", point.chip, "Its chip.");
    fields("cores", point.cores, "How many cores.", limits::at_least(1));
    fields("chips", point.chips, "How many chips.", limits::at_least(1));
    fields("epoch_seconds", point.epoch_seconds, "Time of one interval.", limits::amount);
    fields("cost_usd", point.cost_usd, "What its chips cost meanwhile.", limits::amount);
    fields("energy_joules", point.energy_joules, "What its chips take meanwhile.", limits::amount);
    fields("metrics", point.metrics, "After the last interval.");
    fields("left_out_share", point.left_out_share, "Of its work, what it leaves out.",
           limits::share_of_one);
}

template <class Fields>
void list_fields(Fields& fields, LonePoint& point)
{
    fields("series", point.series, "Its series.");
    fields("sweep", point.sweep, "What the sweep set there.");
    fields("why", point.why, "Why it has no counterpart, in words.");
}

template <class Fields>
void list_fields(Fields& fields, ComparedPair& pair)
{
    fields("a", pair.a, "The point of A.");
    fields("b", pair.b, "The point of B.");
    fields("ratio", pair.ratio, "Seconds of B over seconds of A.", limits::amount);
    report::list_band(fields, "ratio", pair.ratio_low, pair.ratio_high);
    fields.unless_empty("sketches", pair.sketches,
                        "How far apart the matrices are that both trained.");
}

} // namespace alxsim::experiments
