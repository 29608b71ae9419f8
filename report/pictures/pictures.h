// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// Seconds of an interval against core counts as SVG, both axes logarithmic: a line for each of the
/// named series (none named: all that compare core counts), its band where it has one, and dashed
/// what perfect scaling from its first point would give, where nothing but the cores is swept.
/// Throws InputError where a series is not in the report, or none has two core counts that fit.
std::string scaling_picture(const Report& report, const std::vector<std::string>& series);

/// By what a bar is parted.
enum class Parts { phases, resources };

/// Where the time goes at each fitting point of a series, as SVG: a bar of 100 % for each point,
/// parted by phase or by resource, and the seconds above it. Phases below 2 % at every point are
/// put together as "other". Throws InputError where the report has no such series, or none of its
/// points fits.
std::string parts_picture(const Report& report, const std::string& series, Parts by);

} // namespace alxsim::report
