// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim {

using TableRow = std::vector<std::string>; ///< its cells

/// Rows as lines of text: columns as wide as their widest cell, two blanks between them. A line end
/// in a cell becomes a blank. `flush_right` has an entry for each column. A row of one cell, of
/// several columns, is a heading over those that follow: behind an empty line, as wide as it is.
std::string text_table(std::vector<TableRow> rows, const std::vector<bool>& flush_right);

} // namespace alxsim
