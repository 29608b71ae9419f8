// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>

namespace alxsim::report {

/// How the points of a report.json stand in it: each by itself, or in columns (CompactPoints).
enum class Form { full, compact };

/// The texts of a report's files.
struct ReportFiles {
    std::string json;
    std::string csv;
    std::string html;
};

/// Makes them point by point, on the host's threads. Throws std::logic_error where the report does
/// not follow its schema: that is a mistake of ours, not of the user.
ReportFiles files_of(const Report& report, Form form, int threads);

/// The text of a report.json alone.
std::string json_text(const Report& report, Form form);

} // namespace alxsim::report
