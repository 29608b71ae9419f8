// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace alxsim {

/// The text as UTF-8 without control characters but line ends: what a terminal would obey, and
/// bytes that are no UTF-8, stand as "\x1b". Names of files and data may hold anything.
std::string printable(std::string_view text);

bool is_utf8(std::string_view text);

} // namespace alxsim
