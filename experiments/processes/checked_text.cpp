// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/checked_text.h"

#include "base/numbers/mix64.h"

#include <cstdint>

namespace alxsim::experiments {
namespace {

std::string checksum_of(const std::string& text)
{
    std::uint64_t sum = 0;
    for (const char c : text) {
        sum = mix64(sum ^ static_cast<unsigned char>(c));
    }
    return std::to_string(sum);
}

} // namespace

std::string with_checksum(const std::string& text)
{
    return checksum_of(text) + "\n" + text;
}

std::optional<std::string> checked_text(const std::string& bytes)
{
    const std::size_t end_of_line = bytes.find('\n');
    if (end_of_line == std::string::npos) {
        return std::nullopt;
    }
    std::string text = bytes.substr(end_of_line + 1);
    return bytes.compare(0, end_of_line, checksum_of(text)) == 0 ? std::optional(std::move(text))
                                                                 : std::nullopt;
}

} // namespace alxsim::experiments
