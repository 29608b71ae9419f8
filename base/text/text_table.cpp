// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_table.h"

#include <algorithm>

namespace alxsim {

std::string text_table(std::vector<TableRow> rows, const std::vector<bool>& flush_right)
{
    const auto is_heading = [&](const TableRow& row) {
        return row.size() == 1 && flush_right.size() > 1;
    };
    std::vector<std::size_t> widths(flush_right.size(), 0);
    for (TableRow& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            std::replace(row[column].begin(), row[column].end(), '\n', ' ');
            if (!is_heading(row)) {
                widths[column] = std::max(widths[column], row[column].size());
            }
        }
    }
    std::string text;
    for (const TableRow& row : rows) {
        if (is_heading(row)) {
            text += "\n" + row[0] + "\n";
            continue;
        }
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string padding(widths[column] - row[column].size(), ' ');
            line += column == 0 ? "" : "  ";
            line += flush_right[column] ? padding + row[column] : row[column] + padding;
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

} // namespace alxsim
