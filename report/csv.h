// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// The points of a report as CSV (RFC 4180: CRLF, quotes where needed): a row per point, a column
/// per number, nested fields as "phases.solve". What a point does not have is empty. Of the quality
/// only the last epoch is there.
std::string points_csv(const Report& report);
/// The same of a report's list of points.
std::string points_csv(const Json& points);

/// Some of these columns as lines of text for a terminal, numbers rounded and times with their
/// units. Throws InputError for a column that no point has.
std::string points_table(const Report& report, const std::vector<std::string>& columns);

} // namespace alxsim::report
