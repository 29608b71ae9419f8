// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point_fields.h"
#include "report/report.h"
#include "report/series_fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What a part of an interval takes.
struct TimePart {
    std::string name;
    std::vector<std::string> by; ///< preset values that set it; of "row issue"
    double seconds = 0;
    double share = 0; ///< of the interval
};

/// Batches of which more than a quarter is padding.
struct Padding {
    std::string of; ///< "rows", "columns"
    double share = 0;
};

/// Where the time goes at a point.
struct Moment {
    std::string what; ///< "first", "sweet spot", "last", "fastest"
    Settings sweep;   ///< what sets it apart, in a series that does not compare core counts
    report::IntervalWords interval;
    std::int64_t cores = 0;
    double epoch_seconds = 0;
    std::optional<double> low_seconds;
    std::optional<double> high_seconds;
    std::optional<double> median_seconds;
    std::optional<report::UncertainInput> most_uncertain;
    Named<double> band_parts; ///< inputs that give 3 % and more of the band: their shares of it
    std::vector<Padding> padding;
    std::optional<report::AssumedTime> assumed;
    std::vector<report::TimeTable> time_by; ///< by what else than phases the workload tells it
    std::vector<TimePart> phases;           ///< the longest first
    std::vector<TimePart> mechanisms;       ///< what held it up
    std::optional<report::Waiting> waiting;
    std::string slots = {};                   ///< of a pipeline, in words
    Named<report::AxisSeconds> communication; ///< by axes
    std::optional<report::Throughput> throughput;
    std::optional<report::InputStages> input;
    std::vector<report::PathUse> paths; ///< below HBM
    std::optional<report::HostMemoryUse> host_memory;
    std::optional<report::Bill> bill;
    /// Of those that take longest in all, one; none where they take less than a fiftieth.
    std::optional<report::CollectiveSchedule> longest_collective;
};

/// How often a kind of work is done by a device at the first point and the last.
struct WorkChange {
    std::string kind;
    std::string words;
    double first = 0;
    double last = 0;
    std::optional<double> ratio;      ///< where there is some at the first point
    std::optional<double> even_ratio; ///< if the job were shared out evenly
};

/// What a phase keeps however many cores are added, by its fit.
struct Floor {
    double seconds = 0;
    double share = 0; ///< of the phase at the last point
    report::Fit fit;
};

/// The work of a term.
struct TermWork {
    bool of_largest = false; ///< devices differ: counts are the largest's, step by step
    std::vector<WorkChange> changes;
};

/// A phase that does not shrink.
struct Term {
    report::PhaseChange change;
    std::optional<Floor> floor;
    std::optional<TermWork> work; ///< where the study could be built again
    std::string remark = {};      ///< the workload's own, likewise; "": none
};

/// A sweet spot without its gains.
struct SpotPlace {
    std::int64_t cores = 0;
    std::string at_edge;

    bool operator==(const SpotPlace& other) const
    {
        return cores == other.cores && at_edge == other.at_edge;
    }
    bool operator!=(const SpotPlace& other) const { return !(*this == other); }
};

struct RatioBand {
    double p05 = 0;
    double p50 = 0;
    double p95 = 0;
};

/// What a change does to a curve.
struct Outcome {
    std::string name;
    Settings set;
    std::vector<std::optional<double>> seconds; ///< none where there is no changed job
    std::vector<std::int64_t> does_not_fit;     ///< core counts
    std::vector<std::int64_t> refused; ///< core counts where it does not go with other choices
    std::optional<double> ratio_of_last;
    std::optional<SpotPlace> sweet_spot; ///< of two points and more
    std::optional<RatioBand> ratio_in_worlds;
};

/// What each change does to a curve, by the analytic model.
struct WhatIfs {
    std::vector<std::int64_t> cores; ///< of the curve as it is
    std::vector<double> seconds;
    std::optional<SpotPlace> sweet_spot;
    std::vector<std::string> without_influence; ///< names of changes
    std::vector<Outcome> ranked;                ///< what helps the last point most first
};

/// What could only be said of the job built again.
struct Rebuilt {
    std::int64_t cores_per_device = 1;
    std::vector<std::int64_t> devices; ///< at the first point and the last
    bool numerics = true;
    std::string numbers_remark;  ///< of the kind
    std::string same_everywhere; ///< likewise
    WhatIfs what_ifs;
};

/// What a part of an interval takes at two points.
struct PartChange {
    std::string name;
    double from_seconds = 0;
    double to_seconds = 0;
    std::vector<WorkChange> work = {}; ///< of a device; of a phase, where it could be counted

    double change() const { return to_seconds - from_seconds; }
};

/// What changes from one point of a series to another, the largest changes first.
struct PointsBetween {
    Settings from; ///< what sets it apart
    Settings to;
    report::IntervalWords interval;
    double from_seconds = 0;
    double to_seconds = 0;
    std::vector<PartChange> resources;
    std::vector<PartChange> phases;
};

/// What a report says about one curve.
struct SeriesExplanation {
    std::string name;
    std::vector<std::int64_t> cores;
    std::vector<Moment> moments;
    std::vector<std::string> left_out;     ///< what the points do without, said first
    std::vector<std::string> does_not_fit; ///< a sentence on each point that does not
    std::vector<std::string> notes;
    std::optional<std::string> chip;
    std::optional<std::string> fidelity;
    std::optional<report::SweetSpot> sweet_spot; ///< of a series that compares core counts
    std::vector<report::MovedSpot> moved_by;
    std::optional<report::CurveFit> fit;
    std::vector<std::string> shrinking; ///< phases
    std::optional<std::vector<Term>> terms;
    std::vector<report::Regime> regimes;
    std::vector<PointsBetween> between; ///< asked for, or of a series without core counts
    std::optional<Rebuilt> rebuilt;
    std::optional<std::string> not_rebuilt; ///< why
};

/// Which values a search chose, and by how much.
struct SearchExplanation {
    std::string maximize;
    std::size_t candidates = 0;
    std::vector<report::SearchCandidate> best; ///< the best few, the best first
    std::vector<std::string> at_edge;          ///< pointers whose best value is the last tried
    std::string interval = "interval";         ///< what one is called
};

struct Explanation {
    std::string study;
    std::vector<SeriesExplanation> series;
    std::optional<SearchExplanation> search = {};
};

template <class Fields>
void list_fields(Fields& fields, TimePart& part)
{
    fields("name", part.name);
    fields.unless_empty("by", part.by);
    fields("seconds", part.seconds);
    fields("share", part.share);
}

template <class Fields>
void list_fields(Fields& fields, Padding& padding)
{
    fields("of", padding.of);
    fields("share", padding.share);
}

template <class Fields>
void list_fields(Fields& fields, Moment& moment)
{
    fields("what", moment.what);
    fields.unless_empty("sweep", moment.sweep);
    fields("cores", moment.cores);
    fields("epoch_seconds", moment.epoch_seconds);
    report::list_band(fields, "epoch_seconds", moment.low_seconds, moment.median_seconds,
                      moment.high_seconds);
    fields("most_uncertain", moment.most_uncertain);
    fields("band_parts", moment.band_parts);
    fields.unless_empty("padding", moment.padding);
    fields("assumed", moment.assumed);
    fields.unless_empty("time_by", moment.time_by);
    fields("phases", moment.phases);
    fields("mechanisms", moment.mechanisms);
    fields("waiting", moment.waiting);
    fields.unless_empty("slots", moment.slots);
    fields.unless_empty("communication", moment.communication);
    fields("throughput", moment.throughput);
    fields("input", moment.input);
    fields("bill", moment.bill);
    fields("longest_collective", moment.longest_collective);
}

template <class Fields>
void list_fields(Fields& fields, WorkChange& change)
{
    fields("kind", change.kind);
    fields("words", change.words);
    fields("first", change.first);
    fields("last", change.last);
    fields("ratio", change.ratio);
    fields("even_ratio", change.even_ratio);
}

template <class Fields>
void list_fields(Fields& fields, Floor& floor)
{
    fields("stays_seconds", floor.seconds);
    fields("stays_share", floor.share);
    fields("fit", floor.fit);
}

template <class Fields>
void list_fields(Fields& fields, TermWork& work)
{
    fields("work_of_largest", work.of_largest);
    fields("work", work.changes);
}

template <class Fields>
void list_fields(Fields& fields, Term& term)
{
    list_fields(fields, term.change);
    fields.inlined("stays_seconds", term.floor);
    fields.inlined("work", term.work);
    fields.unless_empty("remark", term.remark);
}

template <class Fields>
void list_fields(Fields& fields, SpotPlace& place)
{
    fields("cores", place.cores);
    fields.unless_empty("at_edge", place.at_edge);
}

template <class Fields>
void list_fields(Fields& fields, RatioBand& band)
{
    report::list_quantiles(fields, band);
}

template <class Fields>
void list_fields(Fields& fields, Outcome& outcome)
{
    fields("name", outcome.name);
    fields("set", outcome.set);
    fields("seconds", outcome.seconds);
    fields.unless_empty("does_not_fit", outcome.does_not_fit);
    fields.unless_empty("refused", outcome.refused);
    fields("ratio_of_last", outcome.ratio_of_last);
    fields.nullable("sweet_spot", outcome.sweet_spot);
    fields("ratio_in_worlds", outcome.ratio_in_worlds);
}

template <class Fields>
void list_fields(Fields& fields, WhatIfs& what_ifs)
{
    fields("cores", what_ifs.cores);
    fields("seconds", what_ifs.seconds);
    fields.nullable("sweet_spot", what_ifs.sweet_spot);
    fields("without_influence", what_ifs.without_influence);
    fields("ranked", what_ifs.ranked);
}

template <class Fields>
void list_fields(Fields& fields, Rebuilt& rebuilt)
{
    fields("cores_per_device", rebuilt.cores_per_device);
    fields("devices", rebuilt.devices);
    fields("numerics", rebuilt.numerics);
    fields.unless_empty("same_everywhere", rebuilt.same_everywhere);
    fields("what_ifs", rebuilt.what_ifs);
}

template <class Fields>
void list_fields(Fields& fields, PartChange& part)
{
    fields("name", part.name);
    fields("from_seconds", part.from_seconds);
    fields("to_seconds", part.to_seconds);
    fields.unless_empty("work", part.work);
}

template <class Fields>
void list_fields(Fields& fields, PointsBetween& between)
{
    fields("from", between.from);
    fields("to", between.to);
    fields("from_seconds", between.from_seconds);
    fields("to_seconds", between.to_seconds);
    fields("resources", between.resources);
    fields("phases", between.phases);
}

template <class Fields>
void list_fields(Fields& fields, SeriesExplanation& series)
{
    fields("name", series.name);
    fields("cores", series.cores);
    fields("moments", series.moments);
    fields.unless_empty("left_out", series.left_out);
    fields.unless_empty("does_not_fit", series.does_not_fit);
    fields.unless_empty("notes", series.notes);
    fields("chip", series.chip);
    fields("fidelity", series.fidelity);
    fields("sweet_spot", series.sweet_spot);
    fields.unless_empty("moved_by", series.moved_by);
    fields("fit", series.fit);
    if (series.fit) {
        fields("shrinking", series.shrinking);
    }
    fields("terms", series.terms);
    fields.unless_empty("regimes", series.regimes);
    fields.unless_empty("between", series.between);
    fields.inlined("what_ifs", series.rebuilt);
    fields("not_rebuilt", series.not_rebuilt);
}

template <class Fields>
void list_fields(Fields& fields, SearchExplanation& search)
{
    fields("maximize", search.maximize);
    fields("candidates", search.candidates);
    fields("best", search.best);
    fields.unless_empty("at_edge", search.at_edge);
}

template <class Fields>
void list_fields(Fields& fields, Explanation& explanation)
{
    fields("study", explanation.study);
    fields("series", explanation.series);
    fields("search", explanation.search);
}

} // namespace alxsim::experiments
