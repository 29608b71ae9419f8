// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include "base/input_error.h"
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

/// "/machine/cores=16 /seed=2".
std::string sweep_in_words(const Json& sweep)
{
    std::vector<std::string> words;
    for (const auto& [pointer, value] : sweep.items()) {
        words.push_back(pointer + "=" + cell(value));
    }
    return join(words, " ");
}

/// One point: column and text.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// A row that is being written. `before`: the columns of the point before, which most points share:
/// as long as they do, no column can come twice.
class RowWriter {
public:
    explicit RowWriter(const std::vector<std::string>& before) : before_(before) {}

    /// A column that is known gets another text.
    void put(const std::string& column, std::string text)
    {
        alike_ = alike_ && cells_.size() < before_.size() && before_[cells_.size()] == column;
        const auto known = alike_
                               ? cells_.end()
                               : std::find_if(cells_.begin(), cells_.end(),
                                              [&](const auto& one) { return one.first == column; });
        if (known != cells_.end()) {
            known->second = std::move(text);
        } else {
            cells_.emplace_back(column, std::move(text));
        }
    }
    Cells cells() && { return std::move(cells_); }

private:
    const std::vector<std::string>& before_;
    bool alike_ = true; ///< so far
    Cells cells_;
};

/// Nested fields as "phases.solve".
void put_nested(RowWriter& row, const std::string& column, const Json& value)
{
    if (!value.is_structured() || value.empty()) {
        row.put(column, value.is_structured() ? "" : cell(value));
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

Cells row_of(const Json& point, std::size_t index, const std::vector<std::string>& before)
{
    RowWriter row(before);
    row.put("point", std::to_string(index));
    row.put("series", cell(point.at("series")));
    row.put("sweep", sweep_in_words(point.at("sweep")));
    for_fields(point.at("machine"),
               [&row](const std::string& key, const Json& value) { put_nested(row, key, value); });
    for_fields(point, [&row](const std::string& key, const Json& value) {
        if (key == "series" || key == "sweep" || key == "machine" || key == "critical_path") {
            return;
        }
        if (!value.is_object()) {
            row.put(key, cell(value));
            return;
        }
        for_fields(value, [&](const std::string& name, const Json& inner) {
            if (name != "words") { // a sentence is for people
                put_nested(row, key + "." + name, inner);
            }
        });
    });
    if (point.contains("quality") && !point.at("quality").empty()) {
        for (const auto& [key, value] : point.at("quality").back().items()) {
            row.put("last_" + key, cell(value));
        }
    }
    for (const auto& [pointer, value] : point.at("sweep").items()) {
        row.put("sweep" + pointer, cell(value));
    }
    return std::move(row).cells();
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
    static const Columns none;
    const Cells cells =
        row_of(point, rows_.size(), rows_.empty() ? none : kinds_[rows_.back().columns]);
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
                         const std::vector<std::string>& zero_if_absent)
{
    const PointsTable table = table_of(report);
    const std::vector<std::string> told = table.columns();
    std::vector<std::string> known = told;
    for (const std::string& column : zero_if_absent) {
        if (std::find(told.begin(), told.end(), column) == told.end()) {
            known.push_back(column);
        }
    }
    for (const std::string& column : columns) {
        if (std::find(known.begin(), known.end(), column) == known.end()) {
            throw InputError("--columns", "",
                             "found '" + column + "'" + did_you_mean(column, known) +
                                 "; allowed: " + join(known));
        }
    }
    std::vector<std::vector<std::string>> lines{columns};
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::vector<std::string> line;
        for (const std::string& column : columns) {
            const bool is_told = std::find(told.begin(), told.end(), column) != told.end();
            line.push_back(is_told ? rounded(column, table.cell(row, column)) : "0");
        }
        lines.push_back(std::move(line));
    }
    return text_table(std::move(lines), std::vector<bool>(columns.size(), true));
}

} // namespace alxsim::report
