// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/validate/validate.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// Where a published time of a whole job lies among the draws of its band.
struct RowCoverage {
    std::string topic;
    std::string name;
    double reference = 0; ///< seconds, as those below
    double low_90 = 0;
    double low_50 = 0;
    double high_50 = 0;
    double high_90 = 0;
    bool in_50 = false;
    bool in_90 = false;
};

struct CoverageStatistics {
    std::string topic;
    std::size_t count = 0;
    double share_in_50 = 0; ///< 0.5 if bands are what they say
    double share_in_90 = 0;
    double median_width_90 = 0; ///< high over low
};

struct Coverage {
    std::vector<RowCoverage> rows;
    std::vector<CoverageStatistics> statistics;
};

template <class Fields>
void list_fields(Fields& fields, RowCoverage& row)
{
    fields("topic", row.topic);
    fields("name", row.name);
    fields("reference", row.reference);
    fields("low_90", row.low_90);
    fields("low_50", row.low_50);
    fields("high_50", row.high_50);
    fields("high_90", row.high_90);
    fields("in_50", row.in_50);
    fields("in_90", row.in_90);
}

template <class Fields>
void list_fields(Fields& fields, CoverageStatistics& statistics)
{
    fields("topic", statistics.topic);
    fields("count", statistics.count);
    fields("share_in_50", statistics.share_in_50);
    fields("share_in_90", statistics.share_in_90);
    fields("median_width_90", statistics.median_width_90);
}

template <class Fields>
void list_fields(Fields& fields, Coverage& coverage)
{
    fields("coverage", coverage.rows);
    fields("statistics", coverage.statistics);
}

/// Returns the coverage of the rows that predict the time of a job (kind `predicted`, figure
/// `epoch_seconds`): others have no band. Throws InputError for a study that is wrong.
Coverage coverage_of(const std::vector<ValidationRow>& rows);

/// For people.
Document document_of(const Coverage& coverage);

} // namespace alxsim::experiments
