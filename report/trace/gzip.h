// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace alxsim::report {

/// As gzip has it (RFC 1952), without a name or a date: the same bytes for the same text. Throws
/// std::runtime_error if zlib does.
std::string gzipped(std::string_view text);

} // namespace alxsim::report
