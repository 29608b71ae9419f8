// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace alxsim::alx {

struct TextLine {
    std::string_view text;
    std::vector<std::string_view> tokens; ///< parted by blanks
    bool comment = false;                 ///< begins with # or %
};

/// The lines of `text`, blank ones too; without the last one if it may go on,
/// that is unless `whole`.
std::vector<TextLine> lines_in(std::string_view text, bool whole);

} // namespace alxsim::alx
