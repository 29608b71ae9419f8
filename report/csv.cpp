// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include "base/input_error.h"
#include "base/text/edit_distance.h"
#include "base/text/text_table.h"
#include "report/report_fields.h"
#include "report/words.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace alxsim::report {
namespace {

std::string quoted(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string result = "\"";
    for (const char letter : text) {
        result += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return result + "\"";
}

/// What a spreadsheet would take for a formula, and run, begins with an apostrophe, as one types it
/// there: names in a study may hold anything.
std::string no_formula(const std::string& text)
{
    const bool formula =
        !text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos;
    return formula ? "'" + text : text;
}

/// Text as it is but for formulas, anything else as JSON writes it (numbers with all their digits).
std::string cell(const Json& value)
{
    if (value.is_null()) {
        return "";
    }
    return value.is_string() ? no_formula(value.get<std::string>()) : value.dump();
}

/// One point: column and text.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// Nested fields as "phases.solve".
void put_nested(Cells& row, const std::string& column, const Json& value)
{
    if (!value.is_structured() || value.empty()) {
        row.emplace_back(column, value.is_structured() ? "" : cell(value));
        return;
    }
    for (const auto& [key, inner] : value.items()) {
        put_nested(row, column + "." + key, inner);
    }
}

/// The fields of an object but its lists, which have no place in a row.
template <class Put>
void for_fields(const Json& object, Put put_field)
{
    for (const auto& [key, value] : object.items()) {
        if (!value.is_array()) {
            put_field(key, value);
        }
    }
}

/// Swept values, whatever they are; of an object or a list, its JSON and then its parts.
void put_sweep(Cells& row, const std::string& column, const Json& sweep)
{
    for (const auto& [pointer, value] : sweep.items()) {
        const std::string of_value = column + "." + pointer;
        if (value.is_structured()) {
            row.emplace_back(of_value, value.dump());
        }
        if (!value.is_structured() || !value.empty()) {
            put_nested(row, of_value, value);
        }
    }
}

/// The fields of `object` under their paths.
void put_fields(Cells& row, const std::string& column, const Json& object)
{
    if (column == "sweep") {
        put_sweep(row, column, object);
        return;
    }
    for_fields(object, [&](const std::string& name, const Json& inner) {
        if (name != "words") { // a sentence is for people
            put_nested(row, column + "." + name, inner);
        }
    });
}

Cells row_of(const Json& point, std::size_t index)
{
    Cells row{{"point", std::to_string(index)}};
    for_fields(point, [&row](const std::string& key, const Json& value) {
        if (key == "critical_path") {
            return;
        }
        if (value.is_object()) {
            put_fields(row, key, value);
        } else {
            row.emplace_back(key, cell(value));
        }
    });
    return row;
}

/// Returns the column of a swept field by its last name ("microbatches"); "" if none or several
/// are.
std::string swept_column(const std::string& asked, const std::vector<std::string>& known)
{
    const std::string end = "/" + asked;
    const auto is_meant = [&end](const std::string& column) {
        return column.rfind("sweep.", 0) == 0 && column.size() >= end.size() &&
               column.compare(column.size() - end.size(), end.size(), end) == 0;
    };
    const auto found = std::find_if(known.begin(), known.end(), is_meant);
    return std::count_if(known.begin(), known.end(), is_meant) == 1 ? *found : "";
}

/// Returns, of the columns that there are, the one that is meant: a machine's field by itself
/// ("cores"), a swept one by its last name, and names of earlier programs.
std::string column_meant(const std::string& asked, const std::vector<std::string>& known)
{
    const auto is_known = [&known](const std::string& column) {
        return std::find(known.begin(), known.end(), column) != known.end();
    };
    const auto begins = [&asked](const std::string& with) { return asked.rfind(with, 0) == 0; };
    const std::string former = begins("sweep/")  ? "sweep./" + asked.substr(6)
                               : begins("last_") ? "last_quality." + asked.substr(5)
                                                 : "machine." + asked;
    if (is_known(asked) || is_known(former)) {
        return is_known(asked) ? asked : former;
    }
    const std::string swept = swept_column(asked, known);
    return swept.empty() ? asked : swept;
}

/// The five that are nearest to what was asked for, the nearest first.
std::vector<std::string> nearest_columns(const std::string& asked,
                                         const std::vector<std::string>& known)
{
    constexpr std::size_t most = 5;
    const auto distance = [&asked](const std::string& column) {
        const bool part = asked.size() > 1 && column.find(asked) != std::string::npos;
        const std::size_t last_name = column.rfind('.') + 1; // 0 where there is none
        return part ? 0
                    : std::min(edit_distance(asked, column),
                               1 + edit_distance(asked, column.substr(last_name)));
    };
    std::vector<std::pair<std::size_t, std::string>> all;
    for (const std::string& column : known) {
        all.emplace_back(distance(column), column);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
        nearest.push_back(all[i].second);
    }
    return nearest;
}

/// What a terminal shows of a cell: whole numbers and words as they are.
std::string rounded(const std::string& column, const std::string& text)
{
    const Json value = Json::parse(text, nullptr, false);
    if (!value.is_number_float()) {
        return text;
    }
    const bool duration = column.find("seconds") != std::string::npos ||
                          column.rfind("phases.", 0) == 0 || column.rfind("waiting.", 0) == 0 ||
                          column.rfind("communication.", 0) == 0;
    return duration ? seconds_in_words(value.get<double>()) : in_words(value.get<double>());
}

} // namespace

std::string_view PointsTable::Row::at(std::size_t cell) const
{
    const std::size_t begin = cell == 0 ? 0 : ends[cell - 1];
    return std::string_view(text).substr(begin, ends[cell] - begin);
}

void PointsTable::add(const Json& point)
{
    const Cells cells = row_of(point, rows_.size());
    Columns columns;
    Row row;
    for (const auto& [column, text] : cells) {
        columns.push_back(column);
        row.text += text;
        row.ends.push_back(static_cast<std::uint32_t>(row.text.size()));
    }
    const auto last = std::find(kinds_.rbegin(), kinds_.rend(), columns);
    row.columns = static_cast<std::size_t>(kinds_.rend() - last) - 1;
    if (last == kinds_.rend()) {
        row.columns = kinds_.size();
        kinds_.push_back(std::move(columns));
    }
    rows_.push_back(std::move(row));
}

PointsTable::Columns PointsTable::columns() const
{
    Columns columns;
    for (const Columns& kind : kinds_) {
        std::size_t place = 0;
        for (const std::string& key : kind) {
            const auto expected = columns.begin() + static_cast<std::ptrdiff_t>(place);
            auto at = expected;
            if (at == columns.end() || *at != key) { // as in those before, mostly
                at = std::find(columns.begin(), columns.end(), key);
            }
            if (at == columns.end()) {
                at = columns.insert(expected, key);
            }
            place = static_cast<std::size_t>(at - columns.begin()) + 1;
        }
    }
    return columns;
}

std::string PointsTable::cell(std::size_t row, const std::string& column) const
{
    const Columns& kind = kinds_[rows_[row].columns];
    const auto found = std::find(kind.begin(), kind.end(), column);
    return found == kind.end()
               ? ""
               : std::string(rows_[row].at(static_cast<std::size_t>(found - kind.begin())));
}

std::string PointsTable::csv() const
{
    const Columns all = columns();
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<std::string> cells;
    for (const std::string& column : all) {
        places.emplace(column, places.size());
        cells.push_back(quoted(no_formula(column)));
    }
    std::string text = join(cells, ",") + "\r\n";
    for (const Row& row : rows_) {
        cells.assign(all.size(), "");
        const Columns& kind = kinds_[row.columns];
        for (std::size_t i = 0; i < kind.size(); ++i) {
            cells[places.at(kind[i])] = quoted(std::string(row.at(i)));
        }
        text += join(cells, ",") + "\r\n";
    }
    return text;
}

namespace {

PointsTable table_of(const Report& report)
{
    PointsTable table;
    for (const Point& point : report.points) {
        table.add(json_of(point));
    }
    return table;
}

} // namespace

std::string points_csv(const Report& report)
{
    return table_of(report).csv();
}

std::string points_table(const Report& report, const std::vector<std::string>& columns,
                         const std::vector<std::string>& phases)
{
    const PointsTable table = table_of(report);
    std::vector<std::string> known = table.columns();
    for (const std::string& phase : phases) {
        if (const std::string column = "phases." + phase;
            std::find(known.begin(), known.end(), column) == known.end()) {
            known.push_back(column);
        }
    }
    std::vector<std::string> meant;
    for (const std::string& column : columns) {
        meant.push_back(column_meant(column, known));
        if (std::find(known.begin(), known.end(), meant.back()) == known.end()) {
            throw InputError("--columns", "",
                             "found '" + column + "'" + did_you_mean(column, known) +
                                 "; near to it: " + join(nearest_columns(column, known)) +
                                 "; all " + std::to_string(known.size()) +
                                 " are in the first line of points.csv, as of 'alxsim report "
                                 "REPORT -o points.csv'");
        }
    }
    std::vector<std::vector<std::string>> lines{columns};
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<std::string> line;
        for (const std::string& column : meant) {
            const std::string text = table.cell(row, column);
            const bool took_no_time =
                text.empty() && report.points[row].result && column.rfind("phases.", 0) == 0;
            line.push_back(took_no_time ? "0" : rounded(column, text));
        }
        lines.push_back(std::move(line));
    }
    return text_table(std::move(lines), std::vector<bool>(columns.size(), true));
}

namespace {

/// The lists of a point's draws by their paths in `drawn`.
using DrawnColumns = std::vector<std::pair<std::string, const Json*>>;

void find_lists(DrawnColumns& found, const std::string& column, const Json& value)
{
    if (value.is_array()) {
        found.emplace_back(column, &value);
    } else if (value.is_object()) {
        for (const auto& [key, inner] : value.items()) {
            find_lists(found, column.empty() ? key : column + "." + key, inner);
        }
    }
}

} // namespace

std::string draws_csv(const Report& report)
{
    std::vector<Json> drawn;
    std::vector<std::string> columns;
    for (const Point& point : report.points) {
        drawn.push_back(point.result && point.result->drawn ? json_of(*point.result->drawn)
                                                            : Json::object());
        DrawnColumns lists;
        find_lists(lists, "", drawn.back());
        for (const auto& [column, values] : lists) {
            if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
                columns.push_back(column);
            }
        }
    }
    std::string text = "point,series,draw";
    for (const std::string& column : columns) {
        text += "," + quoted(no_formula("drawn." + column));
    }
    text += "\r\n";
    for (std::size_t index = 0; index < drawn.size(); ++index) {
        DrawnColumns lists;
        find_lists(lists, "", drawn[index]);
        const std::string point =
            std::to_string(index) + "," + quoted(no_formula(report.points[index].series)) + ",";
        const std::size_t draws = lists.empty() ? 0 : lists.front().second->size();
        for (std::size_t draw = 0; draw < draws; ++draw) {
            text += point + std::to_string(draw);
            for (const std::string& column : columns) {
                const auto list = std::find_if(lists.begin(), lists.end(), [&](const auto& one) {
                    return one.first == column;
                });
                text += "," + (list == lists.end() ? "" : cell(list->second->at(draw)));
            }
            text += "\r\n";
        }
    }
    return text;
}

} // namespace alxsim::report
