// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/checked_text.h"

#include <zlib.h>

namespace alxsim::experiments {
namespace {

std::string checksum_of(const char* text, std::size_t size)
{
    return std::to_string(crc32_z(0, reinterpret_cast<const Bytef*>(text), size));
}

} // namespace

std::string with_checksum(const std::string& text)
{
    return checksum_of(text.data(), text.size()) + " " + text;
}

std::optional<std::string> checked_text(const std::string& bytes)
{
    const std::size_t space = bytes.find(' ');
    if (space == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t begin = space + 1;
    const std::string checksum = checksum_of(bytes.data() + begin, bytes.size() - begin);
    return bytes.compare(0, space, checksum) == 0 ? std::optional(bytes.substr(begin))
                                                  : std::nullopt;
}

} // namespace alxsim::experiments
