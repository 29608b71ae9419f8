// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// Seconds of an interval against what is swept as SVG: core counts where a series has each once,
/// else its first number that tells its points apart, or with the other swept values a line each.
/// A line for each of the named series (none named: all that have the first one's axis), its band
/// where it has one, and dashed what perfect scaling from its first point would give, where nothing
/// but the cores is swept. Throws InputError where a series is not in the report, or none has two
/// values of a number that fit.
std::string scaling_picture(const Report& report, const std::vector<std::string>& series);

/// By what a bar is parted.
enum class Parts { phases, resources };

/// How long a bar is: all alike, or as its seconds.
enum class Bars { shares, seconds };

/// Where the time goes at each fitting point of a series, as SVG: a bar for each point, parted by
/// phase or by resource, and the seconds above it. Phases below 2 % at every point, and what the
/// legend has no room for, are put together as "other". Throws InputError where the report has no
/// such series, or none of its points fits.
std::string parts_picture(const Report& report, const std::string& series, Parts by,
                          Bars bars = Bars::shares);

} // namespace alxsim::report
