// SPDX-License-Identifier: Apache-2.0
#include "alx/names/named_links.h"

#include "alx/data/found_format.h"
#include "alx/files/line_reader.h"
#include "base/input_error.h"

#include <array>
#include <utility>

namespace alxsim::alx {
namespace {

/// The names of the row and the column of a line; empty where it has none.
std::array<std::string, 2> names_of(std::string_view line, const LinkColumns& columns,
                                    FieldCutter& cutter)
{
    std::array<std::string, 2> names;
    cutter.start(line);
    std::string_view field;
    for (int i = 0; cutter.next(field); ++i) { // all: a quote may be open in any
        if (i == columns.user) {
            names[0] = field;
        } else if (i == columns.item) {
            names[1] = field;
        }
    }
    for (std::string& name : names) { // a name is the rest of its line once it is written
        while (!name.empty() && name.back() == '\r') {
            name.pop_back();
        }
    }
    return names;
}

} // namespace

NamedLinks number_links(const NamedLinksFile& file, PackedOutput& ids)
{
    NamedLinks named;
    Names& columns_names = file.same_names ? named.rows : named.columns;
    refuse_binary(file.path);
    LineReader lines(file.path);
    const TableLayout layout = layout_of(lines.beginning(), lines.line_end(), file.path);
    const LinkColumns columns =
        link_columns(layout, TableOf::names, file.fields, file.path, file.header);
    FieldCutter cutter(layout);
    named.read_as = in_words(columns, layout);
    bool is_header = columns.first_line_is_header;
    std::string_view line;
    while (lines.next(line)) {
        if (is_comment_or_blank(line) || std::exchange(is_header, false)) {
            continue;
        }
        const auto [row, column] = names_of(line, columns, cutter);
        refuse_open_quote(cutter, line, file.path, lines.place());
        if (row.empty() || column.empty()) {
            throw InputError(file.path, lines.place(),
                             "found " + shown(row) + " and " + shown(column) + " in " +
                                 shown(line) + "; allowed are two names, parted by " +
                                 layout.separator_in_words() + " as in the first lines");
        }
        const std::int32_t row_id = named.rows.add(row);
        ids.write(std::to_string(row_id) + " " + std::to_string(columns_names.add(column)) + "\n");
        ++named.links;
    }
    if (named.links == 0) {
        throw InputError(file.path, lines.end_place(), "holds no links");
    }
    return named;
}

} // namespace alxsim::alx
