// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"

#include <vector>

namespace alxsim::experiments {

/// Closed forms alone: moments long, without numbers, and without SystemC, of which a process has
/// one elaboration.
bool is_small(const PointStudy& study);

/// Seconds that each point takes one core of a small host, as Preview has it: the same on every
/// host. Reads the data of those that are not small. One that cannot be previewed, or does not fit,
/// counts as a small one.
std::vector<double> predicted_seconds(const std::vector<PointSpec>& points);

} // namespace alxsim::experiments
