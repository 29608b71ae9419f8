// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"
#include "experiments/validate/validate.h"

#include <cstdio>
#include <sstream>

namespace alxsim::experiments {
namespace {

using Cells = std::vector<std::string>;

std::string number(const char* format, const Json& value)
{
    if (value.is_null()) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof text, format, value.get<double>());
    return text;
}

std::string percent(const char* format, const Json& share)
{
    return share.is_null() ? "-" : number(format, 100 * share.get<double>()) + " %";
}

std::string tolerance_of(const Json& row)
{
    if (row.at("check") == "near") {
        return percent("%.3g", row.at("tolerance"));
    }
    return row.at("check") == "at_most" ? "at most" : "equal";
}

Cells cells_of(const Json& row)
{
    return {row.at("passes").get<bool>() ? "" : "FAILED",
            row.at("name"),
            number("%.4g", row.at("reference")),
            number("%.4g", row.at("simulated")),
            row.at("unit"),
            percent("%+.1f", row.at("error")),
            tolerance_of(row),
            row.at("kind"),
            row.at("source")};
}

/// One table for all topics, so that columns line up; a topic's name stands over its rows.
std::string rows_text(const Json& rows)
{
    std::vector<Cells> table{{"", "", "reference", "simulated", "", "error", "tolerance", "", ""}};
    std::vector<std::string> headings{""};
    for (const Json& row : rows) {
        headings.push_back(row.at("topic"));
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

std::string failures_text(const Json& rows)
{
    std::string text;
    for (const Json& row : rows) {
        if (!row.at("passes").get<bool>()) {
            text += "FAILED " + row.at("name").get<std::string>() + ": " +
                    row.at("term").get<std::string>() + "\n";
        }
    }
    return text.empty() ? "Every row is within its tolerance.\n" : text;
}

std::string statistics_text(const Json& statistics)
{
    std::vector<Cells> table{{"|error| of predicted rows", "count", "median", "90 %", "largest"}};
    for (const Json& one : statistics) {
        table.push_back({one.at("topic"), one.at("count").dump(), percent("%.2f", one.at("median")),
                         percent("%.2f", one.at("percentile_90")),
                         percent("%.2f", one.at("largest"))});
    }
    return text_table(table, {false, true, true, true, true});
}

} // namespace

std::string validation_text(const Json& validated)
{
    return rows_text(validated.at("validation")) + "\n" +
           failures_text(validated.at("validation")) + "\n" +
           statistics_text(validated.at("statistics"));
}

} // namespace alxsim::experiments
