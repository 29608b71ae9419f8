// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::experiments {

/// The child's side: runs the points that come as lines on stdin (point_task.h), one after another,
/// and answers each on stdout. Returns the exit code.
int serve_points();

} // namespace alxsim::experiments
