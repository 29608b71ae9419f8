// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/fewest_cores.h"
#include "report/point_fields.h"
#include "report/report_fields.h"
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
    std::string what; ///< "first", "sweet spot", "last", "fastest", "preset's"
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
    /// One of those that take longest in all; none where they take less than a fiftieth.
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

/// What would hold a job that is too large.
struct WouldHold {
    std::string chip;
    std::vector<FewestCores> ways; ///< as it is, then smaller in HBM
};

/// What a point that changes values of the preset takes against the one that has them as they are.
struct AgainstPreset {
    Settings sweep;
    double seconds = 0;
    double ratio = 1;
};

/// What a report says about one curve.
struct SeriesExplanation {
    std::string name;
    std::vector<std::int64_t> cores;
    std::vector<Moment> moments;
    std::vector<std::string> left_out;     ///< what the points do without, said first
    std::vector<std::string> does_not_fit; ///< a sentence on each point that does not
    std::optional<WouldHold> would_hold;   ///< the first of these
    std::vector<std::string> failed;       ///< a sentence on each point that was refused or failed
    std::vector<AgainstPreset> against_preset; ///< of a series that sweeps its values
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
    fields("name", part.name, "A phase, or what held the job up.");
    fields.unless_empty("by", part.by, "Preset values that set it.");
    fields("seconds", part.seconds, "Of an interval.", limits::amount);
    fields("share", part.share, "Of the interval.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Padding& padding)
{
    fields("of", padding.of, "rows, columns.");
    fields("share", padding.share, "Of the batches, what is padding.", limits::share_of_one);
}

template <class Fields>
void list_fields(Fields& fields, Moment& moment)
{
    fields("what", moment.what, "Which point: first, sweet spot, last, fastest.");
    fields.unless_empty("sweep", moment.sweep,
                        "What sets it apart, in a series that does not compare core counts.");
    fields("cores", moment.cores, "Its cores.", limits::at_least(1));
    fields("epoch_seconds", moment.epoch_seconds, "Time of one interval.", limits::amount);
    report::list_band(fields, "epoch_seconds", moment.low_seconds, moment.median_seconds,
                      moment.high_seconds);
    fields("most_uncertain", moment.most_uncertain, "The input that moves the time most.");
    fields("band_parts", moment.band_parts,
           "Inputs that make 3 % and more of the band: their shares of it.", limits::amount);
    fields.unless_empty("padding", moment.padding,
                        "Batches of which more than a quarter is padding.");
    fields("assumed", moment.assumed, "Which of the time rests on assumptions.");
    fields.unless_empty("time_by", moment.time_by,
                        "The time by what else than phases the workload tells it.");
    fields("phases", moment.phases, "What each phase takes, the longest first.");
    fields("mechanisms", moment.mechanisms, "What held the job up, the longest first.");
    fields("waiting", moment.waiting, "What devices wait for each other.");
    fields.unless_empty("slots", moment.slots, "Of a pipeline: its bubble, in words.");
    fields.unless_empty("communication", moment.communication,
                        "By the axes that collectives are along.");
    fields("throughput", moment.throughput, "What the chips get done.");
    fields("input", moment.input, "Of a job with an input pipeline: what its stages take.");
    fields("bill", moment.bill, "Of the whole job, where the study has a bill.");
    fields("longest_collective", moment.longest_collective,
           "The collective that takes longest in all, where that is a fiftieth and more.");
}

template <class Fields>
void list_fields(Fields& fields, WorkChange& change)
{
    fields("kind", change.kind, "Which kind of work: bytes, rows, operations.");
    fields("words", change.words, "What it is, in words.");
    fields("first", change.first, "How often a device does it at the first point.", limits::amount);
    fields("last", change.last, "The same at the last point.", limits::amount);
    fields("ratio", change.ratio,
           "The latter over the former; absent: there is none at the first point.", limits::amount);
    fields("even_ratio", change.even_ratio, "The same if the job were shared out evenly.",
           limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, Floor& floor)
{
    fields("stays_seconds", floor.seconds,
           "What the phase keeps however many cores are added, by its fit.", limits::amount);
    fields("stays_share", floor.share, "The same, of the phase at the last point.", limits::amount);
    fields("fit", floor.fit, "The fit.");
}

template <class Fields>
void list_fields(Fields& fields, TermWork& work)
{
    fields("work_of_largest", work.of_largest,
           "Whether devices differ, and the counts are the largest's, step by step.");
    fields("work", work.changes, "What a device does in an interval, kind by kind.");
}

template <class Fields>
void list_fields(Fields& fields, Term& term)
{
    list_fields(fields, term.change);
    fields.inlined("stays_seconds", term.floor);
    fields.inlined("work", term.work);
    fields.unless_empty("remark", term.remark, "What the workload says of it.");
}

template <class Fields>
void list_fields(Fields& fields, SpotPlace& place)
{
    fields("cores", place.cores, "Where the sweet spot lies.", limits::at_least(1));
    fields.unless_empty("at_edge", place.at_edge, "low: the first step fails; high: none does.",
                        limits::one_of("low|high"));
}

template <class Fields>
void list_fields(Fields& fields, RatioBand& band)
{
    report::list_quantiles(fields, band);
}

template <class Fields>
void list_fields(Fields& fields, Outcome& outcome)
{
    fields("name", outcome.name, "The change, in words.");
    fields("set", outcome.set, "What it sets, pointer by pointer.");
    fields("seconds", outcome.seconds, "Of each core count, by closed forms; null: no such job.");
    fields.unless_empty("does_not_fit", outcome.does_not_fit,
                        "Core counts where the changed job does not fit.");
    fields.unless_empty("refused", outcome.refused,
                        "Core counts where it does not go with other choices.");
    fields("ratio_of_last", outcome.ratio_of_last,
           "Time of the last point over that without the change.", limits::amount);
    fields.nullable("sweet_spot", outcome.sweet_spot,
                    "With the change; null: fewer than two points.");
    fields("ratio_in_worlds", outcome.ratio_in_worlds,
           "The ratio over the draws that agree, with --given.");
}

template <class Fields>
void list_fields(Fields& fields, WhatIfs& what_ifs)
{
    fields("cores", what_ifs.cores, "Of the curve.");
    fields("seconds", what_ifs.seconds, "As it is, by closed forms.");
    fields.nullable("sweet_spot", what_ifs.sweet_spot, "As it is; null: fewer than two points.");
    fields("without_influence", what_ifs.without_influence, "Changes that move nothing.");
    fields("ranked", what_ifs.ranked, "Changes, what helps the last point most first.");
}

template <class Fields>
void list_fields(Fields& fields, Rebuilt& rebuilt)
{
    fields("cores_per_device", rebuilt.cores_per_device, "Of this chip.", limits::at_least(1));
    fields("devices", rebuilt.devices, "At the first point and the last.");
    fields("numerics", rebuilt.numerics, "Whether the study computes numbers.");
    fields.unless_empty("same_everywhere", rebuilt.same_everywhere,
                        "What is the same on all core counts, in words.");
    fields("what_ifs", rebuilt.what_ifs, "What each change would do.");
}

template <class Fields>
void list_fields(Fields& fields, PartChange& part)
{
    fields("name", part.name, "A phase, or a share of the time.");
    fields("from_seconds", part.from_seconds, "At the first of both points.", limits::amount);
    fields("to_seconds", part.to_seconds, "At the other.", limits::amount);
    fields.unless_empty("work", part.work, "What a device does for it at both.");
}

template <class Fields>
void list_fields(Fields& fields, PointsBetween& between)
{
    fields("from", between.from, "What sets the first point apart.");
    fields("to", between.to, "What sets the other apart.");
    fields("from_seconds", between.from_seconds, "Time of an interval there.", limits::amount);
    fields("to_seconds", between.to_seconds, "The same at the other.", limits::amount);
    fields("resources", between.resources, "Shares of the time, the largest change first.");
    fields("phases", between.phases, "Phases, the largest change first.");
}

template <class Fields>
void list_fields(Fields& fields, AgainstPreset& against)
{
    fields("sweep", against.sweep, "What sets the point apart.");
    fields("seconds", against.seconds, "Of an interval.", limits::amount);
    fields("ratio", against.ratio, "To the preset's own point.", limits::amount);
}

template <class Fields>
void list_fields(Fields& fields, FewestCores& fewest)
{
    fields.unless_empty("with", fewest.with, "What is changed for it; absent: as it is.");
    fields("cores", fewest.cores, "The fewest that hold it.", limits::at_least(1));
    fields.unless_empty("refusal", fewest.refusal, "Why none does.");
}

template <class Fields>
void list_fields(Fields& fields, WouldHold& would)
{
    fields("chip", would.chip, "Whose cores are counted.");
    fields("ways", would.ways, "As it is, then smaller in HBM.");
}

template <class Fields>
void list_fields(Fields& fields, SeriesExplanation& series)
{
    fields("name", series.name, "As the study calls it.");
    fields("cores", series.cores, "Of its points that fit.");
    fields("moments", series.moments,
           "Where the time goes at the first point, the sweet spot and the last.");
    fields.unless_empty("left_out", series.left_out, "What the points do without, in words.");
    fields.unless_empty("does_not_fit", series.does_not_fit,
                        "A sentence on each point that does not fit.");
    fields("fewest_cores", series.would_hold, "What would hold the first point that does not fit.");
    fields.unless_empty("failed", series.failed,
                        "A sentence on each point that was refused or failed.");
    fields.unless_empty("against_preset", series.against_preset,
                        "Of a series that sweeps values of its machine: each point against the "
                        "preset's own.");
    fields.unless_empty("notes", series.notes,
                        "What should be known of the points and of the what-ifs.");
    fields("chip", series.chip, "Where its points run.");
    fields("fidelity", series.fidelity, "How they were timed.");
    fields("sweet_spot", series.sweet_spot,
           "The largest core count up to which every gain is at least 0.5.");
    fields.unless_empty(
        "moved_by", series.moved_by,
        "Choices by which the sweet spot, or the fastest core count, lies elsewhere.");
    fields("fit", series.fit, "Terms of the curve over cores.");
    std::optional<std::vector<std::string>> shrinking;
    if (series.fit) {
        shrinking = series.shrinking;
    }
    fields("shrinking", shrinking, "Phases that do shrink, of a series with a fit.");
    fields("terms", series.terms, "Phases that do not shrink.");
    fields.unless_empty("regimes", series.regimes, "Runs of points whose torus axes wrap alike.");
    fields.unless_empty("between", series.between,
                        "What changes between two points: asked for, or in a series that does not "
                        "compare core counts.");
    fields.inlined("what_ifs", series.rebuilt);
    fields("not_rebuilt", series.not_rebuilt,
           "Why the study could not be built again; what needs it is absent then.");
}

template <class Fields>
void list_fields(Fields& fields, SearchExplanation& search)
{
    fields("maximize", search.maximize, "The metric that it goes by.");
    fields("candidates", search.candidates, "How many were tried.");
    fields("best", search.best, "The best few, the best first.");
    fields.unless_empty("at_edge", search.at_edge,
                        "Values whose best is the least or the greatest that was tried.");
}

template <class Fields>
void list_fields(Fields& fields, Explanation& explanation)
{
    fields("study", explanation.study, "Its name.");
    fields("series", explanation.series, "Curve by curve.");
    fields("search", explanation.search, "Of a study that searches values before its points run.");
}

/// The JSON Schema of an Explanation.
const Json& explanation_schema();

} // namespace alxsim::experiments
