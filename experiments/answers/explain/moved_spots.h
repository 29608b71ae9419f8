// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/study.h"
#include "report/series.h"
#include "report/words.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Finds the choices that a run tells without being asked (workloads::Alternative) and with which
/// the curve `points`, of ascending core counts, bends elsewhere than at `spot`: by closed forms of
/// the jobs made again. Empty, too, where closed forms put even the curve as it is elsewhere, and
/// where making the jobs again would take long.
std::vector<report::MovedSpot> moved_spots(const report::SweetSpot& spot,
                                           const std::vector<PointSpec>& points);

/// Says "With gather all_to_all the sweet spot is 32 cores, not 4: by closed forms an epoch on 32
/// cores takes 32.2 ms with it, 91.3 ms as it is."
std::string in_words(const report::MovedSpot& moved, const report::IntervalWords& interval);

} // namespace alxsim::experiments
