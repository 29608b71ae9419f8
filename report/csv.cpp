// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include "base/input_error.h"
#include "report/report_fields.h"

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

/// Text as it is, anything else as JSON writes it (numbers with all their digits).
std::string cell(const Json& value)
{
    if (value.is_null()) {
        return "";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
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

Json without_lists(const Json& object)
{
    Json rest = Json::object();
    for (const auto& [key, value] : object.items()) {
        if (!value.is_array()) {
            rest[key] = value;
        }
    }
    return rest;
}

/// The point as one flat object, column by column. Lists have no place in a row.
Json flattened(const Json& point, std::size_t index)
{
    Json row{{"point", index},
             {"series", point.at("series")},
             {"sweep", sweep_in_words(point.at("sweep"))}};
    row.update(without_lists(point.at("machine")));
    for (const auto& [key, value] : point.items()) {
        if (key == "series" || key == "sweep" || key == "machine" || value.is_array()) {
            continue;
        }
        if (!value.is_object()) {
            row[key] = value;
            continue;
        }
        const Json flat = without_lists(value).flatten();
        for (const auto& [pointer, inner] : flat.items()) {
            std::string name = key + pointer;
            for (char& letter : name) {
                letter = letter == '/' ? '.' : letter;
            }
            if (!inner.is_structured()) {
                row[name] = inner;
            }
        }
    }
    if (point.contains("quality") && !point.at("quality").empty()) {
        for (const auto& [key, value] : point.at("quality").back().items()) {
            row["last_" + key] = value;
        }
    }
    return row;
}

/// Every key of any row. A key that an earlier row lacks goes behind the key that precedes it in
/// its row, so that columns of a kind stay together.
std::vector<std::string> columns_of(const std::vector<Json>& rows)
{
    std::vector<std::string> columns;
    for (const Json& row : rows) {
        std::size_t place = 0;
        for (const auto& [key, value] : row.items()) {
            std::size_t at = 0;
            while (at < columns.size() && columns[at] != key) {
                ++at;
            }
            if (at == columns.size()) {
                at = place;
                columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(place), key);
            }
            place = at + 1;
        }
    }
    return columns;
}

} // namespace

std::string points_csv(const Report& report)
{
    std::vector<Json> rows;
    for (const Point& point : report.points) {
        rows.push_back(flattened(json_of(point), rows.size()));
    }
    const std::vector<std::string> columns = columns_of(rows);
    std::vector<std::string> header;
    header.reserve(columns.size());
    for (const std::string& column : columns) {
        header.push_back(quoted(column));
    }
    std::string text = join(header, ",") + "\r\n";
    for (const Json& row : rows) {
        std::vector<std::string> cells;
        cells.reserve(columns.size());
        for (const std::string& column : columns) {
            cells.push_back(row.contains(column) ? quoted(cell(row.at(column))) : "");
        }
        text += join(cells, ",") + "\r\n";
    }
    return text;
}

} // namespace alxsim::report
