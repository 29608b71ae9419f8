// SPDX-License-Identifier: Apache-2.0
#include "base/text/printed.h"
#include "experiments/answers/validate/validate.h"

namespace alxsim::experiments {
namespace {

std::string tolerance_of(const ValidatedRow& row)
{
    if (row.check == "near") {
        return printed_percent("%.3g", row.tolerance);
    }
    return row.check == "at_most" ? "at most" : "equal";
}

/// One table for all topics, so that columns line up; a topic's name stands over its rows.
void tell_rows(Document& document, const std::vector<ValidatedRow>& rows)
{
    std::vector<TableRow> cells;
    std::string topic;
    for (const ValidatedRow& row : rows) {
        if (row.topic != topic) {
            topic = row.topic;
            cells.push_back({topic});
        }
        cells.push_back({row.passes ? "" : "FAILED", row.name, printed("%.4g", row.reference),
                         printed("%.4g", row.simulated), row.unit,
                         printed_percent("%+.1f", row.error), tolerance_of(row), row.kind,
                         row.source});
    }
    document.table({"", "", "reference", "simulated", "", "error", "tolerance", "", ""}, cells,
                   {false, false, true, true, false, true, true, false, false});
}

void tell_failures(Document& document, const Validation& validation)
{
    for (const ValidatedRow& row : validation.rows) {
        if (!row.passes) {
            document.line("FAILED " + row.name + ": " + row.term);
        }
    }
    if (validation.passes()) {
        document.line("Every row is within its tolerance.");
    }
}

void tell_statistics(Document& document, const std::vector<ErrorStatistics>& statistics)
{
    std::vector<TableRow> rows;
    for (const ErrorStatistics& one : statistics) {
        rows.push_back({one.topic, std::to_string(one.count), printed_percent("%.2f", one.median),
                        printed_percent("%.2f", one.percentile_90),
                        printed_percent("%.2f", one.largest)});
    }
    document.table({"|error| of predicted rows", "count", "median", "90 %", "largest"}, rows,
                   {false, true, true, true, true});
}

} // namespace

Document document_of(const Validation& validation)
{
    Document document;
    tell_rows(document, validation.rows);
    document.gap();
    tell_failures(document, validation);
    document.gap();
    tell_statistics(document, validation.statistics);
    return document;
}

} // namespace alxsim::experiments
