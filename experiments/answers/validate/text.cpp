// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"
#include "experiments/answers/validate/validate.h"

#include <cstdio>
#include <optional>
#include <sstream>

namespace alxsim::experiments {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char* format, std::optional<double> value)
{
    if (!value) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof text, format, *value);
    return text;
}

std::string percent(const char* format, std::optional<double> share)
{
    return share ? number(format, 100 * *share) + " %" : "-";
}

std::string tolerance_of(const ValidatedRow& row)
{
    if (row.check == "near") {
        return percent("%.3g", row.tolerance);
    }
    return row.check == "at_most" ? "at most" : "equal";
}

Cells cells_of(const ValidatedRow& row)
{
    return {row.passes ? "" : "FAILED",
            row.name,
            number("%.4g", row.reference),
            number("%.4g", row.simulated),
            row.unit,
            percent("%+.1f", row.error),
            tolerance_of(row),
            row.kind,
            row.source};
}

/// One table for all topics, so that columns line up; a topic's name stands over its rows.
std::string rows_text(const std::vector<ValidatedRow>& rows)
{
    std::vector<Cells> table{{"", "", "reference", "simulated", "", "error", "tolerance", "", ""}};
    std::vector<std::string> headings{""};
    for (const ValidatedRow& row : rows) {
        headings.push_back(row.topic);
        table.push_back(cells_of(row));
    }
    std::istringstream lines(
        text_table(table, {false, false, true, true, false, true, true, false, false}));
    std::string text;
    std::string line;
    for (std::size_t i = 0; std::getline(lines, line); ++i) {
        if (i > 0 && headings[i] != headings[i - 1]) {
            text += "\n" + headings[i] + "\n";
        }
        text += line + "\n";
    }
    return text;
}

std::string failures_text(const std::vector<ValidatedRow>& rows)
{
    std::string text;
    for (const ValidatedRow& row : rows) {
        if (!row.passes) {
            text += "FAILED " + row.name + ": " + row.term + "\n";
        }
    }
    return text.empty() ? "Every row is within its tolerance.\n" : text;
}

std::string statistics_text(const std::vector<ErrorStatistics>& statistics)
{
    std::vector<Cells> table{{"|error| of predicted rows", "count", "median", "90 %", "largest"}};
    for (const ErrorStatistics& one : statistics) {
        table.push_back({one.topic, std::to_string(one.count), percent("%.2f", one.median),
                         percent("%.2f", one.percentile_90), percent("%.2f", one.largest)});
    }
    return text_table(table, {false, true, true, true, true});
}

} // namespace

std::string validation_text(const Validation& validation)
{
    return rows_text(validation.rows) + "\n" + failures_text(validation.rows) + "\n" +
           statistics_text(validation.statistics);
}

} // namespace alxsim::experiments
