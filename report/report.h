// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/inputs/input_files.h"
#include "report/claims.h"
#include "report/series.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

/// Version of reports that are written now: 2. Version 1 has the study as it was given, without
/// defaults.
constexpr int schema_version = 2;

/// The program that ran the study.
struct Tool {
    std::string version;
    std::string commit;
};

/// What points of one kind were predicted to take of the host, and what they took.
struct HostUse {
    std::string kind; ///< "analytic", "SystemC" or "numbers": each is predicted by rates of its own
    std::int64_t points = 0;
    double predicted_cpu_seconds = 0;
    double cpu_seconds = 0;
    /// Predicted for the one that took most, where points were predicted to take any.
    std::optional<std::int64_t> predicted_memory_bytes = {};
    std::optional<std::int64_t> memory_bytes = {};
};

/// The machine that it ran on: all that differs from run to run.
struct Host {
    double wall_seconds = 0;
    int threads = 1;
    std::optional<std::string> cpu_level;
    std::optional<std::vector<HostUse>> work = {}; ///< of each kind of point
    /// Where the study stood, from the report's folder: its data are relative to it.
    std::optional<std::string> study = {};
};

/// A number that we cannot know and that the results rest on.
struct Assumption {
    std::optional<std::string> chip;
    std::string name;
    Json value;
    std::optional<Json> low;
    std::optional<Json> high;
    std::optional<std::string> unit;
    std::optional<std::string> kind;
    std::optional<std::string> source;

    bool operator==(const Assumption& other) const;
};

struct SearchCandidate {
    Settings values;
    Named<std::optional<double>> reached; ///< the metric, on validation rows; no value: none
};

/// What people call a metric whose name does not say it all.
struct MetricWords {
    std::string title; ///< "": the name, without underscores
    std::string unit;  ///< "": a pure number
};

/// At which interval a candidate that keeps its best one reached its metric: told beside it.
constexpr const char* kept_interval = "kept_interval";

/// Parameters chosen before the points ran.
struct SearchOutcome {
    std::string kind;
    std::string maximize;
    std::vector<SearchCandidate> candidates;
    std::size_t best = 0;
    /// Pointers of which the best candidate of a grid has the least or the greatest value tried.
    std::vector<std::string> at_edge = {};

    const SearchCandidate& best_candidate() const { return candidates.at(best); }
};

struct Report {
    int version = schema_version;
    Tool tool;
    Host host;
    Json study; ///< as run, defaults filled in (from version 2 on)
    Json dataset;
    InputFiles inputs; ///< that its points were computed from
    std::optional<std::vector<Assumption>> assumptions;
    Named<MetricWords> metrics; ///< of those that its points have
    std::vector<Point> points;
    std::vector<Series> series;
    std::vector<Judgement> hypotheses;
    Json validation = Json::array();
    std::optional<SearchOutcome> search;

    std::string name() const { return study.at("study").get<std::string>(); }
    std::uint64_t seed() const { return study.value("seed", std::uint64_t{1}); }
};

/// What the runner hands over: a report of which nothing is derived yet. Each point belongs to
/// exactly one series.
struct ReportParts {
    Json study; ///< as run, defaults filled in
    Tool tool;
    Host host;
    Json dataset;               ///< open object; null where there is none
    Named<MetricWords> metrics; ///< those that no point has are left out
    std::vector<SeriesSpec> series;
    std::vector<Point> points;
    std::optional<SearchOutcome> search;
    std::vector<Assumption> assumptions;
    InputFiles inputs;
};

/// The whole report: derives speed-ups, sweet spots, fits and verdicts. Throws std::logic_error
/// where a point is in no series or in two: that is a mistake of ours, not of the user; and
/// InputError where a hypothesis of the study names what does not exist.
Report make_report(ReportParts parts);

/// As a file has it, fields in the schema's order.
Json to_json(const Report& report);
/// The same with an empty list of points.
Json to_json_without_points(const Report& report);

/// Reads reports of this version, fields that it does not know left out, and of earlier ones.
/// Throws InputError for what does not follow the schema, and for an index without its point.
Report report_of(const Json& json, const std::string& file);
Report load_report(const std::string& path);

} // namespace alxsim::report
