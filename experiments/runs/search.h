// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"

#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// The candidates of a study's `search`. A grid is the product of the listed values; a random
/// search draws `points` times, each value log-uniformly between the smallest and the largest of
/// its list. The same for the same seed. Throws InputError at the field's place.
std::vector<Settings> search_candidates(const Study& study);

/// A point for each candidate: the base study, without sweep and series, trained without its
/// validation rows, which take the test rows' place. Timed by closed forms, because only the metric
/// counts.
std::vector<PointSpec> search_points(const Study& study, const std::vector<Settings>& candidates);

/// The figure that the study's search goes by. Throws InputError for one that the study lacks.
std::string searched_metric(const Study& study);

/// Returns the metric of the interval whose numbers are kept; none where the point failed, has
/// none, or reached nothing (workloads::SearchRules::is_spoilt).
std::optional<double> reached_in(const Study& study, const report::Point& point,
                                 const std::string& metric);

/// The metric of every candidate on the validation rows, and the best (ties: the first). Throws
/// InputError if no candidate has the figure that `maximize` names.
report::SearchOutcome search_outcome(const Study& study, const std::vector<Settings>& candidates,
                                     const std::vector<PointResult>& results);

} // namespace alxsim::experiments
