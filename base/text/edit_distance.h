// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace alxsim {

/// How many letters must be inserted, left out or replaced to make one text of the other
/// (Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b);

} // namespace alxsim
