// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace alxsim::experiments {

/// The checksum (CRC-32) of `text`, a space, then `text`.
std::string with_checksum(const std::string& text);

/// What with_checksum() was given, if this is, to the last byte, what it yielded.
std::optional<std::string> checked_text(const std::string& bytes);

} // namespace alxsim::experiments
