// SPDX-License-Identifier: Apache-2.0
#include "alx/names/names.h"

#include "alx/data/matrix_builder.h"
#include "alx/files/line_reader.h"
#include "alx/table/link_columns.h"
#include "base/input_error.h"

#include <array>
#include <limits>

namespace alxsim::alx {

namespace {

/// Where a table of names has them.
struct NameColumns {
    TableLayout layout;
    int id = 0;
    int name = 1;
};

/// Fields of a table's line: its id and name; empty where it has none.
std::array<std::string, 2> named_id(std::string_view line, const NameColumns& columns)
{
    std::array<std::string, 2> found;
    FieldCutter cutter(columns.layout);
    cutter.start(line);
    std::string_view field;
    for (int i = 0; cutter.next(field); ++i) {
        if (i == columns.id || i == columns.name) {
            found[i == columns.id ? 0 : 1] = field;
        }
    }
    return found;
}

bool is_whole_number(const std::string& field)
{
    return !field.empty() && field.find_first_not_of("0123456789") == std::string::npos;
}

/// None where the first line is a name like all others: a table's second one begins with an id.
std::optional<NameColumns> columns_of(std::string_view first_line, std::string_view second_line)
{
    for (const char* const separator : {"\t", "::", ",", ";", "|"}) {
        NameColumns columns;
        columns.layout.separator = separator;
        columns.id = columns.name = -1;
        FieldCutter cutter(columns.layout);
        cutter.start(first_line);
        std::string_view field;
        for (int i = 0; cutter.next(field); ++i) {
            const std::string name(field);
            if (columns.id < 0 && names_ids(name)) {
                columns.id = i;
            } else if (columns.name < 0 && names_titles(name)) {
                columns.name = i;
            }
        }
        if (columns.id >= 0 && columns.name >= 0 &&
            is_whole_number(named_id(second_line, columns)[0])) {
            return columns;
        }
    }
    return {};
}

std::optional<NameColumns> columns_of(LineReader& lines)
{
    std::vector<std::string_view> first;
    for_each_line(lines.beginning(), lines.line_end(), [&first](std::string_view line) {
        if (first.size() < 2) {
            first.push_back(line.substr(0, line.find_last_not_of('\r') + 1));
        }
    });
    return first.size() < 2 ? std::nullopt : columns_of(first[0], first[1]);
}

} // namespace

Names Names::load(const std::string& path, std::int64_t first_id)
{
    Names names;
    LineReader lines(path);
    const std::optional<NameColumns> table = columns_of(lines);
    std::optional<IdParser> ids;
    std::string_view line;
    for (bool first = true; lines.next(line); first = false) {
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        if (table && first) {
            ids.emplace(path, "named", first_id, std::nullopt);
        } else if (table) {
            const auto [id, name] = named_id(line, *table);
            if (!is_comment_or_blank(line) && !name.empty()) {
                names.put(ids->parse(id, [&lines] { return lines.place(); }), name);
            }
        } else {
            const std::size_t before = names.size();
            const std::int32_t id = names.add(line);
            if (names.size() == before) {
                throw InputError(path, lines.place(),
                                 "found " + shown(line) + ", which line " + std::to_string(id + 1) +
                                     " has, too; allowed are names that differ");
            }
        }
    }
    return names;
}

void Names::put(std::int32_t id, const std::string& name)
{
    by_id_[id] = name;
    const auto [place, is_new] = ids_.try_emplace(name, id);
    if (!is_new && place->second != id) {
        place->second = several;
    }
}

std::optional<std::string> Names::of(std::int64_t id) const
{
    if (is_table()) {
        const auto named = by_id_.find(id);
        return named == by_id_.end() ? std::nullopt : std::optional(named->second);
    }
    return id >= 0 && id < static_cast<std::int64_t>(names_.size())
               ? std::optional(*names_[static_cast<std::size_t>(id)])
               : std::nullopt;
}

std::optional<std::int32_t> Names::find(std::string_view name) const
{
    const auto found = ids_.find(std::string(name));
    return found == ids_.end() || found->second == several ? std::nullopt
                                                           : std::optional(found->second);
}

std::int32_t Names::add(std::string_view name)
{
    if (names_.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw InputError("more than " + std::to_string(names_.size()) + " names");
    }
    const auto [place, is_new] =
        ids_.try_emplace(std::string(name), static_cast<std::int32_t>(names_.size()));
    if (is_new) {
        names_.push_back(&place->first);
    }
    return place->second;
}

std::string Names::text() const
{
    std::string text;
    const bool begins_with_mark =
        !names_.empty() && names_.front()->compare(0, byte_order_mark.size(), byte_order_mark) == 0;
    if (begins_with_mark) { // a file's first is none of its first line
        text = byte_order_mark;
    }
    for (const std::string* name : names_) {
        text += *name + "\n";
    }
    return text;
}

} // namespace alxsim::alx
