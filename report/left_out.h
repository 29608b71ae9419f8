// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// Whether some do without more of their data than others: their times then do not compare.
bool leave_out_different_shares(const std::vector<const Point*>& points);

/// What some points of a curve do without, a sentence each, without "Note:": once if it is the same
/// for all, else with the points' cores, and that they do not compare. Empty: nothing.
std::vector<std::string> left_out_in_words(const std::vector<const Point*>& points);

} // namespace alxsim::report
