// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace alxsim::fuzz {

/// A document with something else at one place: a value at the edge of its type, a value of another
/// type, a field less or twice, a part of the document in place of another. The same for the same
/// seed. "" for what is no JSON, and now and then, where bytes shall be mutated.
std::string mutated_json(std::string_view text, std::uint64_t seed);

} // namespace alxsim::fuzz
