// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/point.h"
#include "experiments/study.h"

#include <vector>

namespace alxsim::experiments {

/// The candidates of a study's `search`, each JSON pointer -> value. A grid is the product of the
/// listed values; a random search draws `points` times, each value log-uniformly between the
/// smallest and the largest of its list. The same for the same seed. Throws InputError at the
/// field's place.
std::vector<Json> search_candidates(const Study& study);

/// A point for each candidate: the base study, without sweep and series, trained without its
/// validation rows, which take the test rows' place. Timed by closed forms, because only recall
/// counts.
std::vector<PointSpec> search_points(const Study& study, const std::vector<Json>& candidates);

/// The report's `search`: recall of every candidate on the validation rows, and the best (ties: the
/// first). Throws InputError if no candidate has the figure that `maximize` names.
Json search_result(const Study& study, const std::vector<Json>& candidates,
                   const std::vector<PointResult>& results);

/// The study with the best candidate's values in its base; a series' own `set` still comes after.
Study with_best(const Study& study, const Json& search);

} // namespace alxsim::experiments
