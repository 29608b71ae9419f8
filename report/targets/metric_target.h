// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/series.h"

#include <optional>

namespace alxsim::report {

/// The value that is asked for, or else one that every point of a series reaches, so that the time
/// to get there can be compared: 0.99 of the worst of their best values (where lower is better,
/// that over 0.99). None if the series has no target, or no point was evaluated.
std::optional<double> target_value(const SeriesSpec& spec, const std::vector<Point>& points);

/// Writes into the series' evaluated points the simulated time of training until the first
/// evaluated interval with that value or a better one.
void add_seconds_to(double value, const SeriesSpec& spec, std::vector<Point>& points);

} // namespace alxsim::report
