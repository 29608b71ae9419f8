// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/report.h"

#include <string>

namespace alxsim::report {

/// The texts of a report's files.
struct ReportFiles {
    std::string json;
    std::string csv;
    std::string html;
};

/// Makes them side by side on the host's threads. Throws std::logic_error where the report does not
/// follow its schema: that is a mistake of ours, not of the user.
ReportFiles files_of(const Report& report, int threads);

} // namespace alxsim::report
