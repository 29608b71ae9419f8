// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/series.h"

#include <optional>

namespace alxsim::report {

/// The recall@20 that every point of a series reaches: 0.99 of the lowest of their best values, so
/// that the time to get there can be compared. None if no point was evaluated.
std::optional<double> recall_target(const SeriesSpec& spec, const std::vector<Point>& points);

/// Writes `to_recall` into the series' evaluated points: the simulated time of training until the
/// first evaluated epoch with that recall.
void add_seconds_to_recall(const SeriesSpec& spec, double target, std::vector<Point>& points);

} // namespace alxsim::report
