// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/validate/coverage.h"

#include "base/text/printed.h"
#include "experiments/points/point.h"
#include "experiments/points/uncertainty/uncertainty.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

bool has_band(const ValidationRow& row)
{
    return row.kind == "predicted" && row.simulate.study && row.simulate.figure == "epoch_seconds";
}

RowCoverage coverage_of(const ValidationRow& row)
{
    const EpochBand band = band_without_ranking(point_study(*row.simulate.study, row.file), 1);
    std::vector<double> seconds;
    for (const model::Breakdown& draw : band.draws) {
        seconds.push_back(row.simulate.times * to_seconds(draw.total).count());
    }
    const auto below = [&seconds](double share) { return model::quantile_of(seconds, share); };
    RowCoverage result{row.topic,   row.name,    row.reference, below(0.05), below(0.25),
                       below(0.75), below(0.95), false,         false};
    result.in_50 = result.low_50 <= row.reference && row.reference <= result.high_50;
    result.in_90 = result.low_90 <= row.reference && row.reference <= result.high_90;
    return result;
}

CoverageStatistics statistics_of(const std::string& topic, const std::vector<RowCoverage>& rows)
{
    std::vector<double> widths;
    double in_50 = 0;
    double in_90 = 0;
    for (const RowCoverage& row : rows) {
        widths.push_back(row.high_90 / row.low_90);
        in_50 += row.in_50 ? 1 : 0;
        in_90 += row.in_90 ? 1 : 0;
    }
    const auto count = static_cast<double>(rows.size());
    return {topic, rows.size(), in_50 / count, in_90 / count, model::quantile_of(widths, 0.5)};
}

std::vector<CoverageStatistics> statistics_by_topic(const std::vector<RowCoverage>& rows)
{
    std::vector<CoverageStatistics> statistics;
    for (auto first = rows.begin(); first != rows.end();) {
        const auto last = std::find_if(
            first, rows.end(), [&](const RowCoverage& row) { return row.topic != first->topic; });
        statistics.push_back(statistics_of(first->topic, {first, last}));
        first = last;
    }
    if (!rows.empty()) {
        statistics.push_back(statistics_of("all", rows));
    }
    return statistics;
}

} // namespace

Coverage coverage_of(const std::vector<ValidationRow>& rows)
{
    Coverage coverage;
    for (const ValidationRow& row : rows) {
        if (has_band(row)) {
            coverage.rows.push_back(coverage_of(row));
        }
    }
    coverage.statistics = statistics_by_topic(coverage.rows);
    return coverage;
}

Document document_of(const Coverage& coverage)
{
    Document document;
    std::vector<TableRow> cells;
    for (const RowCoverage& row : coverage.rows) {
        cells.push_back({row.name, printed("%.4g", row.reference),
                         printed("%.4g", row.low_50) + " .. " + printed("%.4g", row.high_50),
                         row.in_50 ? "in" : "",
                         printed("%.4g", row.low_90) + " .. " + printed("%.4g", row.high_90),
                         row.in_90 ? "in" : ""});
    }
    document.table(
        {"published times of jobs, s", "published", "50 % of draws", "", "90 % of draws", ""},
        cells, {false, true, true, false, true, false});
    document.gap();
    cells.clear();
    for (const CoverageStatistics& one : coverage.statistics) {
        cells.push_back(
            {one.topic, std::to_string(one.count), printed_percent("%.0f", one.share_in_50),
             printed_percent("%.0f", one.share_in_90), printed("%.3g", one.median_width_90)});
    }
    document.table({"share of rows in their bands", "count", "50 %", "90 %", "90 %, high / low"},
                   cells, {false, true, true, true, true});
    return document;
}

} // namespace alxsim::experiments
