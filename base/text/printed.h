// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace alxsim {

/// A number by a printf format for one double, at most 63 characters; "-" for none.
std::string printed(const char* format, std::optional<double> value);

/// The same of a hundred times the share, and " %".
std::string printed_percent(const char* format, std::optional<double> share);

/// What such a format keeps of a number.
double rounded(const char* format, double value);

/// "1,234,567"; of numbers from 0 up.
std::string in_thousands(std::int64_t number);

} // namespace alxsim
