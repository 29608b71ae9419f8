// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::program {

/// A number above 0 as `option` was given it. Throws InputError.
double positive_number(const std::string& option, const std::string& text);

/// Seconds of "90", "90s", "10min", "2h", "1.5 d" or "500ms". Throws InputError for others, and
/// for what is not above 0.
double duration_of(const std::string& option, const std::string& text);

} // namespace alxsim::program
