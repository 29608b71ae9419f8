// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/calibrate/points.h"
#include "experiments/answers/profile/profile.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// A study's program whose ops a profile has measured.
struct ProfiledPoint {
    MeasuredPoint point;               ///< a figure for each op, or for ops of a name
    std::vector<std::string> left_out; ///< sentences: so many ops, and why
};

/// Matches ops by their names (profile/matching.h). Left out are ends of asynchronous work (what
/// they take is what others leave), loops' control, ops below a microsecond a call, and those that
/// only one side has or runs another number of times. Throws InputError if nothing is left.
ProfiledPoint profiled_point(const Study& study, const Profile& profile);

/// Rows of alxsim-measure: {"of_tpu": true, "rows": [{name, op, machine, seconds, spread}]}. Throws
/// InputError for another form, for rows of several chips, and for those that are of no TPU.
std::vector<MeasuredPoint> measured_rows(const std::string& path);

/// estimated_seconds() of figures that are of ops.
std::vector<double> estimated_ops(const MeasuredPoint& point, const Named<double>& values);

} // namespace alxsim::experiments
