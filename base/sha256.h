// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace alxsim {

/// SHA-256 of the text (FIPS 180-4) in base64 (RFC 4648), as a Content-Security-Policy has it.
std::string sha256_base64(std::string_view text);

} // namespace alxsim
