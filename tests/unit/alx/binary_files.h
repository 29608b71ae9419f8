// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/tfrecord.h"

#include <cstdint>
#include <string>

/// Files of binary formats, written by hand.
namespace alxsim::alx {

/// Bits as text, from the first one on.
inline std::string bytes_of(std::string bits)
{
    std::string bytes;
    bits.resize((bits.size() + 7) / 8 * 8, '0');
    for (std::size_t i = 0; i < bits.size(); i += 8) {
        bytes.push_back(static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2)));
    }
    return bytes;
}

inline std::string little_endian(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i) {
        text.push_back(static_cast<char>(value >> (8 * i)));
    }
    return text;
}

inline std::string record_of(const std::string& data)
{
    const std::string length = little_endian(data.size(), 8);
    return length + little_endian(masked_crc32c(length), 4) + data +
           little_endian(masked_crc32c(data), 4);
}

/// A length-delimited field of a message; all here are shorter than 128 bytes.
inline std::string field(int number, const std::string& bytes)
{
    return std::string(1, static_cast<char>(number << 3 | 2)) +
           std::string(1, static_cast<char>(bytes.size())) + bytes;
}

inline std::string feature(const std::string& name, const std::string& kind)
{
    return field(1, field(1, name) + field(2, kind));
}

inline std::string packed(const std::string& varints)
{
    return field(3, field(1, varints));
}

} // namespace alxsim::alx
