// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "report/fit.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::report {

/// The points of a report with every unknown at its central value, or in one draw of all of them.
/// Draw i is the same world at every point.
class World {
public:
    static constexpr int central = -1;

    World(const Json& points, int draw) : points_(points), draw_(draw) {}

    /// A number of a point: "epoch_seconds", "phases.gather.ids", "speedup". Where draws tell
    /// nothing of it (counts, memory, recall) it is the central one; none where the point lacks it.
    /// `base` is the point that speed-up and efficiency are relative to.
    std::optional<double> number(std::size_t point, const std::string& path,
                                 std::size_t base) const;
    /// The same of a series: "sweet_spot.cores".
    std::optional<double> number(const Json& series, const std::string& path) const;

    double epoch_seconds(std::size_t point) const;
    std::vector<CoreTime> curve(const std::vector<std::size_t>& fitting) const;

private:
    const Json& points_;
    int draw_;
};

/// How many draws all of these points have; 0 where one has none.
int common_draws(const std::vector<std::size_t>& indices, const Json& points);

/// What stands at `path` in `object`: keys may have dots of their own, so the longest key that
/// exists counts. Null if nothing does.
const Json* find_field(const Json& object, const std::string& path);

/// Takes out of a point what only verdicts needed: of its `drawn`, epoch_seconds stays.
void drop_details_of_draws(Json& point);

} // namespace alxsim::report
