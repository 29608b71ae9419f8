// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace alxsim::alx {

/// A time as tables have it, to be compared with others of its table: a number, in whatever unit;
/// or a date like 2005-04-03, also with a time of day behind a blank or a T, in seconds since 1970
/// without time zones. Nothing for any other text.
std::optional<double> link_time(std::string_view text);

} // namespace alxsim::alx
