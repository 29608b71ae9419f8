// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Reads a file of validation rows: `paths`, or those that come with the program (validate/rows/)
/// if there are none. Throws InputError where one does not obey validate/rows/rows.schema.json.
Json load_validation(const std::vector<std::string>& paths);

/// Simulates every row: {"validation": [...], "statistics": [...]}. A row is {topic, name,
/// reference, simulated (null where the job does not fit), unit, error (simulated/reference - 1),
/// tolerance, check ("near", "equal" or "at_most"), kind, passes, term, source} and perhaps `note`.
Json validate(const Json& topics);

/// Of |error| over the rows that predict an amount (kind `predicted`, check `near`), topic by topic
/// and over all: {topic, count, median, percentile_90, largest}. The percentile is the smallest
/// error that 90 % of the rows do not exceed. Topics without such rows are left out.
Json error_statistics(const Json& rows);

/// Rows by topic and statistics as text; of rows that fail, the term responsible.
std::string validation_text(const Json& validated);

} // namespace alxsim::experiments
