// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim::experiments {

/// "61.2 billion": a count as people say it; no exponents below 1e15.
std::string count_in_words(double count);

/// "16 cores", "1 core".
std::string cores_in_words(std::int64_t cores);

} // namespace alxsim::experiments
