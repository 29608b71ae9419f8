// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <algorithm>

namespace alxsim {

std::string text_table(std::vector<std::vector<std::string>> rows,
                       const std::vector<bool>& flush_right)
{
    for (std::vector<std::string>& row : rows) {
        for (std::string& cell : row) {
            std::replace(cell.begin(), cell.end(), '\n', ' ');
        }
    }
    std::vector<std::size_t> widths(flush_right.size(), 0);
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
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
