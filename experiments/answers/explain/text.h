// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim::experiments {

/// "61.2 billion": a count as people say it; no exponents below 1e15.
std::string count_in_words(double count);

/// "16 cores", "1 core".
std::string cores_in_words(std::int64_t cores);

/// Breaks a paragraph into lines of at most 100 columns; the first begins with `bullet`, the others
/// with as many spaces. Ends with a line break.
std::string paragraph(const std::string& text, const std::string& bullet = "");

} // namespace alxsim::experiments
