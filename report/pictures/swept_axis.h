// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// What sets the points of a series apart: the cores, where each count stands once ("" for their
/// pointer), else the fewest of the swept pointers that do.
std::vector<std::string> pointers_apart(const std::vector<const Point*>& points);

/// "cores", "microbatches": what a pointer is called beside an axis.
std::string axis_words(const std::string& pointer);

/// A point's value there, short: "16", "4e+06", "all_to_all".
std::string value_words(const Point& point, const std::string& pointer);

/// Whether all points have a number there, or all a factor ("x0.25") of an override.
bool is_numeric(const std::vector<const Point*>& points, const std::string& pointer);

/// A point's number or factor there.
double value_at(const Point& point, const std::string& pointer);

} // namespace alxsim::report
