// SPDX-License-Identifier: Apache-2.0
#include "alx/names/named_links.h"

#include "alx/files/byte_source.h"
#include "base/input_error.h"

namespace alxsim::alx {
namespace {

/// What parts the fields of a line: names may hold what stands further behind.
std::string_view separator_of(std::string_view line)
{
    for (const std::string_view separator : {"\t", ","}) {
        if (line.find(separator) != std::string_view::npos) {
            return separator;
        }
    }
    return " ";
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \r");
    const std::size_t last = text.find_last_not_of(" \r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, last - first + 1);
}

/// Cuts the first field off.
std::string_view next_field(std::string_view& line, std::string_view separator)
{
    const std::size_t end = line.find(separator);
    const std::string_view field = trimmed(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + separator.size());
    return field;
}

} // namespace

NamedLinks number_links(const std::string& path, bool same_names, bool header, PackedOutput& ids)
{
    NamedLinks named;
    Names& columns = same_names ? named.rows : named.columns;
    LineReader lines(path);
    std::string_view line;
    while (lines.next(line)) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#' || line.front() == '%') {
            continue;
        }
        if (header) {
            header = false;
            continue;
        }
        const std::string_view separator = separator_of(line);
        const std::string_view row = next_field(line, separator);
        line = separator == " " ? trimmed(line) : line;
        const std::string_view column = next_field(line, separator);
        if (row.empty() || column.empty()) {
            throw InputError(path, lines.place(),
                             "found " + shown(row) + " and " + shown(column) +
                                 "; allowed are two names, parted by a tab, a comma or a blank");
        }
        const std::int32_t row_id = named.rows.add(row);
        ids.write(std::to_string(row_id) + " " + std::to_string(columns.add(column)) + "\n");
        ++named.links;
    }
    if (named.links == 0) {
        throw InputError(path, lines.end_place(), "holds no links");
    }
    return named;
}

} // namespace alxsim::alx
