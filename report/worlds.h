// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/series.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

/// Numbers of points and series by the names under which a report has them: "phases.gather.ids",
/// "sweet_spot.cores". Names may have dots of their own, so the longest key that exists counts.
class NamedFigures {
public:
    explicit NamedFigures(const std::vector<Point>& points);

    /// None where there is no such number. Of phases, kinds of waiting and axes that a timed point
    /// lacks, none of its time.
    std::optional<double> of_point(std::size_t index, const std::string& path) const;
    static std::optional<double> of_series(const Series& series, const std::string& path);

private:
    bool is_none_of_its_time(std::size_t index, const std::string& path) const;

    std::vector<Json> points_;
};

/// The points of a report with every unknown at its central value, or in one draw of all of them.
/// Draw i is the same world at every point.
class World {
public:
    static constexpr int central = -1;

    World(const std::vector<Point>& points, int draw) : points_(points), draw_(draw) {}

    /// A number of a point: "epoch_seconds", "phases.gather.ids", "speedup". Where draws tell
    /// nothing of it (counts, memory, recall) it is the central one; none where the point lacks it.
    /// `base` is the point that speed-up and efficiency are relative to.
    std::optional<double> number(const NamedFigures& figures, std::size_t point,
                                 const std::string& path, std::size_t base) const;
    /// The same of a series: "sweet_spot.cores".
    std::optional<double> number(const Series& series, const std::string& path) const;

    double epoch_seconds(std::size_t point) const;
    std::vector<CoreTime> curve(const std::vector<std::size_t>& fitting) const;

private:
    const std::vector<Point>& points_;
    int draw_;
};

/// Seconds of a point's interval that are drawn and told: of the world in which each input has its
/// central value, or the band's median where that world lies outside the band. Only of a point with
/// a result.
double line_seconds(const Point& point);

/// How many draws all of these points have; 0 where one has none.
int common_draws(const std::vector<std::size_t>& indices, const std::vector<Point>& points);

} // namespace alxsim::report
