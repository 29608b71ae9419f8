// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.h"
#include "report/fit.h"
#include "report/point.h"
#include "report/regimes.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

/// A value of a metric, to which times are told.
struct MetricTarget {
    std::string metric; ///< a series' field is "target_" and this
    std::string name;   ///< a point's field is "seconds_to_" and this
    bool lower_is_better = false;
    std::optional<double> asked = {}; ///< none: what every point of a series reaches
};

/// One curve: a name and which points (indices into the report's points) are on it.
struct SeriesSpec {
    std::string name;
    std::vector<std::size_t> points;
    std::optional<MetricTarget> target = {};
};

/// What one step of a curve brought: (T_from/T_to - 1)/(to/from - 1); 1 is perfect scaling.
struct Gain {
    std::int64_t from;
    std::int64_t to;
    double gain;
};

/// A step with a gain below this is no longer worth its cores: half of perfect scaling.
constexpr double enough_gain = 0.5;

/// Gains of consecutive points; `curve` has ascending, distinct core counts.
std::vector<Gain> gains_of(const std::vector<CoreTime>& curve);

/// The largest core count up to which every gain is at least `enough_gain`. `at_edge` is "low" when
/// already the first step fails, "high" when none does, else "".
struct SweetSpot {
    std::int64_t cores = 0;
    std::string at_edge;
    std::vector<Gain> gains;
    /// Where it is in the draws, of points with draws: 5, 50 and 95 %, the share of each core
    /// count.
    std::optional<std::int64_t> cores_p05 = {}, cores_p50 = {}, cores_p95 = {};
    Named<double> shares = {};
};

/// Another choice of the job that puts a curve's sweet spot, or its fastest point, elsewhere. By
/// closed forms, of both.
struct MovedSpot {
    std::string what; ///< "sweet spot", "fastest"
    Settings set;     ///< the choice, in the study
    std::int64_t cores = 0;
    std::string at_edge = {};     ///< of a sweet spot
    std::int64_t own_cores = 0;   ///< as the job is
    std::int64_t compared_at = 0; ///< cores: the larger of both
    double seconds = 0;           ///< of an interval on so many, with the choice
    double own_seconds = 0;       ///< there as the job is
};

/// The sweet spot of a curve of at least two points.
SweetSpot sweet_spot_of(const std::vector<CoreTime>& curve);

/// Time of one phase of an interval at two core counts, and what part it has of the last one.
struct PhaseChange {
    std::string phase;
    double seconds_first;
    double seconds_last;
    double share_of_last;
};

/// How each phase changes from the point `first` to the larger point `last`, the longest last phase
/// first.
std::vector<PhaseChange> phase_changes(const Point& first, const Point& last);

/// The phases that bend the curve. A phase "does not shrink" if it makes at least 1% of the last
/// interval, takes at least half of its first time there, and gains less than `enough_gain` on the
/// way, counted like the gain of a step (this matters only where the last point has less than three
/// times the cores).
std::vector<PhaseChange> phases_that_do_not_shrink(const Point& first, const Point& last);

/// Whether the core count, and nothing else, is swept along the points: then gains and the like
/// mean something.
bool is_core_series(const std::vector<std::size_t>& indices, const std::vector<Point>& points);

/// How many times the useful operations of one point's interval the other's has; 1 where they are
/// not known. Both have results.
double growth_of_work(const Point& from, const Point& to);

/// Whether the work grows along with the core count, each count once: then speed-up is that of the
/// useful operations a second, and the time would ideally stay with the work of a core. `fitting`
/// as from fitting_points().
bool is_weak_scaling(const std::vector<std::size_t>& fitting, const std::vector<Point>& points);

/// The fitting points of a series (those with results), fewest cores first.
std::vector<std::size_t> fitting_points(const std::vector<std::size_t>& indices,
                                        const std::vector<Point>& points);

/// From which point to the last one phases are compared: the sweet spot, or the smallest point
/// where the sweet spot is the last. `fitting` as from fitting_points().
std::size_t bend_start(const SweetSpot& sweet_spot, const std::vector<std::size_t>& fitting,
                       const std::vector<Point>& points);

/// Times of an interval of points, in the order given.
std::vector<CoreTime> curve_of(const std::vector<std::size_t>& fitting,
                               const std::vector<Point>& points);

/// A curve as a report has it; what compares core counts is there only where nothing else is swept.
struct Series {
    std::string name;
    std::vector<std::size_t> points;
    std::optional<std::string> scaling; ///< "weak", or not told
    /// By metric: what its points' seconds_to is the time to.
    Named<std::optional<double>> targets;
    std::optional<SweetSpot> sweet_spot; ///< of two fitting points and more
    std::optional<std::size_t> fastest;  ///< index into the report's points
    std::optional<std::size_t> cheapest;
    std::optional<CurveFit> fit;
    std::vector<Regime> regimes;
    std::optional<std::vector<PhaseChange>> phases_that_do_not_shrink; ///< where a sweet spot is
    std::vector<MovedSpot> moved_by = {};
};

/// Derives a series. Where it compares core counts, or is one of weak scaling, writes speed-up and
/// efficiency into its fitting points, relative to the one with fewest cores.
Series make_series(const SeriesSpec& spec, std::vector<Point>& points);

} // namespace alxsim::report
