// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"

#include <string>

namespace alxsim::experiments {

/// For people, in a few words: its time, that it does not fit, or why it failed.
std::string outcome_of(const report::Point& point);

/// A point that could not be run, of which the report says why. Its machine is told as far as it
/// can be made.
PointResult failed_point(const PointSpec& point, const std::string& why);

/// The same of bad input: another try would end alike.
PointResult refused_point(const PointSpec& point, const std::string& why);

} // namespace alxsim::experiments
