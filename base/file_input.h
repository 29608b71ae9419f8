// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace alxsim {

/// All bytes of a file, a pipe or a device. Throws InputError for what cannot be read, and for what
/// holds more than `most` bytes: a device may have no end.
std::string read_file(const std::string& path, std::int64_t most);

} // namespace alxsim
