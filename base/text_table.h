// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace alxsim {

/// Rows of cells as lines of text: columns as wide as their widest cell, two blanks between them.
/// A line end in a cell becomes a blank. `flush_right` has an entry for each column.
std::string text_table(std::vector<std::vector<std::string>> rows,
                       const std::vector<bool>& flush_right);

} // namespace alxsim
