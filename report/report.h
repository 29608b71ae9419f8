// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "report/series.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// What the runner hands over. Points need no `series`, `speedup` or `efficiency`: they are derived
/// here. Each point belongs to exactly one series.
struct ReportParts {
    Json study;   ///< as run, defaults filled in
    Json tool;    ///< {version, commit}
    Json host;    ///< {wall_seconds, threads}
    Json dataset; ///< open object; null where there is none
    std::vector<SeriesSpec> series;
    Json points = Json::array();
    Json search; ///< null without one: candidates, their recall on validation rows, the best
    Json assumptions = Json::array(); ///< [{chip, name, value, low, high, unit, kind, source}]
    Json validation =
        Json::array(); ///< [{name, reference, simulated, error, tolerance, kind, source}]
};

/// The whole report: derives speed-ups, sweet spots, fits and verdicts, puts the fields into the
/// schema's order and validates the result. Throws std::logic_error where it does not follow the
/// schema or a point is in no series or in two: that is a mistake of ours, not of the user; and
/// InputError where a hypothesis of the study names what does not exist.
Json make_report(ReportParts parts);

/// Holds a report (read from `file`) against the schema. Throws InputError.
void validate_report(const Json& report, const std::string& file);

} // namespace alxsim::report
