// SPDX-License-Identifier: Apache-2.0
#include "alx/table/table_layout.h"

#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <algorithm>
#include <array>
#include <map>

namespace alxsim::alx {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text)
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Lines with data, or names of columns.
std::vector<std::string_view> lines_of(std::string_view beginning, char line_end)
{
    constexpr std::size_t most = 2000;
    std::vector<std::string_view> lines;
    for_each_line(beginning, line_end, [&lines](std::string_view line) {
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        if (lines.size() < most && !is_comment_or_blank(line)) {
            lines.push_back(line);
        }
    });
    return lines;
}

std::vector<std::string> fields_of(std::string_view line, const std::string& separator)
{
    TableLayout layout;
    layout.separator = separator;
    FieldCutter cutter(layout);
    cutter.start(line);
    std::vector<std::string> fields;
    for (std::string_view field; cutter.next(field);) {
        fields.emplace_back(field);
    }
    return fields;
}

/// All lines under one separator.
struct Parting {
    std::size_t fewest = 0;
    std::size_t most = 0;

    bool parts_all() const { return fewest >= 2; }
    bool is_even() const { return parts_all() && fewest == most; }
};

Parting parting_of(const std::vector<std::string_view>& lines, const std::string& separator)
{
    Parting parting;
    for (const std::string_view line : lines) {
        const std::size_t fields = fields_of(line, separator).size();
        parting.fewest = parting.fewest == 0 ? fields : std::min(parting.fewest, fields);
        parting.most = std::max(parting.most, fields);
    }
    return parting;
}

/// "12", "-0.5" or, where commas part no fields, "0,5".
bool is_number(std::string_view field, bool with_comma)
{
    const bool all = !field.empty() &&
                     field.find_first_not_of(with_comma ? "0123456789+-.,eE" : "0123456789+-.eE") ==
                         std::string_view::npos;
    return all && std::count(field.begin(), field.end(), ',') <= 1;
}

/// Whether every field but those of the first line, which may be names, is a number then.
bool leaves_numbers(const std::vector<std::string_view>& lines, const std::string& separator)
{
    return lines.size() > 1 &&
           std::all_of(lines.begin() + 1, lines.end(), [&](std::string_view line) {
               const std::vector<std::string> fields = fields_of(line, separator);
               return std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
                   return is_number(field, separator != ",");
               });
           });
}

/// The one of commas, semicolons and bars that parts all lines, evenly if one does, or that alone
/// leaves numbers; "" if none.
std::string mark_of(const std::vector<std::string_view>& lines, const std::string& path)
{
    std::map<std::string, Parting> even;
    std::map<std::string, Parting> uneven;
    for (const char* const mark : {",", ";", "|"}) {
        const Parting parting = parting_of(lines, mark);
        if (parting.parts_all()) {
            (parting.is_even() ? even : uneven).emplace(mark, parting);
        }
    }
    const auto& found = even.empty() ? uneven : even;
    std::vector<std::string> of_numbers;
    for (const auto& [mark, parting] : found) {
        if (found.size() > 1 && leaves_numbers(lines, mark)) {
            of_numbers.push_back(mark);
        }
    }
    if (of_numbers.size() == 1) {
        return of_numbers.front();
    }
    if (found.size() > 1) {
        std::string words;
        for (const auto& [mark, parting] : found) {
            words += (words.empty() ? "'" : " and '") + mark + "' (" +
                     std::to_string(parting.most) + " fields)";
        }
        throw InputError(path, "the first lines",
                         "found that " + words +
                             " part every line; allowed: one of tabs, '::', commas, semicolons, "
                             "bars or blanks, and fields that hold another in double quotes");
    }
    return found.empty() ? "" : found.begin()->first;
}

std::string separator_of(const std::vector<std::string_view>& lines, const std::string& path)
{
    for (const char* const sure : {"\t", "::"}) {
        if (parting_of(lines, sure).parts_all()) {
            return sure;
        }
    }
    const std::string mark = mark_of(lines, path);
    return mark.empty() ? " " : mark;
}

} // namespace

bool is_comment_or_blank(std::string_view line)
{
    std::size_t first = 0;
    while (first < line.size() && usual_blanks.find(line[first]) != std::string_view::npos) {
        ++first;
    }
    return first == line.size() || line[first] == '#' || line[first] == '%';
}

std::string TableLayout::separator_in_words() const
{
    static const std::map<std::string, std::string> words{{"\t", "tabs"},  {"::", "'::'"},
                                                          {",", "commas"}, {";", "semicolons"},
                                                          {"|", "bars"},   {" ", "blanks"}};
    return words.at(separator);
}

TableLayout layout_of(std::string_view beginning, char line_end, const std::string& path)
{
    const std::vector<std::string_view> lines = lines_of(beginning, line_end);
    TableLayout layout;
    if (lines.empty()) {
        return layout;
    }
    layout.separator = separator_of(lines, path);
    layout.first_line = fields_of(lines.front(), layout.separator);
    layout.fields = parting_of(lines, layout.separator).most;
    return layout;
}

void FieldCutter::start(std::string_view line)
{
    rest_ = line;
    more_ = true;
    quote_is_open_ = false;
}

bool FieldCutter::next(std::string_view& field)
{
    if (by_blanks_) {
        return next_of_blanks(field);
    }
    if (!more_) {
        return false;
    }
    std::size_t first = 0;
    while (first < rest_.size() && rest_[first] == ' ') {
        ++first;
    }
    if (first < rest_.size() && rest_[first] == '"' && next_in_quotes(field)) {
        return true;
    }
    const std::size_t end = next_separator();
    field = trimmed(rest_.substr(0, end));
    more_ = end != std::string_view::npos;
    rest_.remove_prefix(more_ ? end + separator_.size() : rest_.size());
    return true;
}

/// Fields are short: a loop is faster than a search.
std::size_t FieldCutter::next_separator() const
{
    const char first = separator_[0];
    for (std::size_t at = 0; at + separator_.size() <= rest_.size(); ++at) {
        if (rest_[at] == first && (separator_.size() == 1 || rest_[at + 1] == separator_[1])) {
            return at;
        }
    }
    return std::string_view::npos;
}

bool FieldCutter::next_of_blanks(std::string_view& field)
{
    field = next_token(rest_, blanks);
    return !field.empty();
}

/// False where the closing quote does not end the field: then they are letters.
bool FieldCutter::next_in_quotes(std::string_view& field)
{
    unquoted_.clear();
    std::size_t at = rest_.find('"') + 1;
    for (;; ++at) {
        if (at >= rest_.size()) {
            quote_is_open_ = quotes_count_;
            return false;
        }
        if (rest_[at] == '"') {
            if (at + 1 < rest_.size() && rest_[at + 1] == '"') {
                ++at;
            } else {
                break;
            }
        }
        unquoted_ += rest_[at];
    }
    std::string_view behind = rest_.substr(at + 1);
    behind.remove_prefix(std::min(behind.find_first_not_of(' '), behind.size()));
    if (!behind.empty() && behind.compare(0, separator_.size(), separator_) != 0) {
        return false;
    }
    more_ = !behind.empty();
    rest_ = more_ ? behind.substr(separator_.size()) : std::string_view();
    field = unquoted_;
    return true;
}

void refuse_open_quote(const FieldCutter& cutter, std::string_view line, const std::string& path,
                       const std::string& place)
{
    if (cutter.quote_is_open()) {
        throw InputError(path, place,
                         "found " + shown(line) +
                             ", where a double quote begins a field and none ends it; allowed are "
                             "fields that end on their line");
    }
}

} // namespace alxsim::alx
