// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim {

/// `bytes` as they are, or, where they begin as gzip's do (RFC 1952), what they hold, of one member
/// or several. `file` is for messages. Throws InputError for damaged or cut data, and for what
/// would hold more than `most` bytes.
std::string gunzipped(std::string bytes, const std::string& file, std::int64_t most);

} // namespace alxsim
