// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>

namespace alxsim::alx {

/// What a decoder says of compressed data that nobody has written so; its text is the cause.
class DamagedData : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What one call came to.
struct Decoded {
    std::size_t taken = 0; ///< bytes of the input
    std::size_t made = 0;  ///< bytes of content
    bool ended = false;    ///< the member's last byte has been taken
};

/// Decompresses what comes in pieces. A file is one member (gzip), stream (bzip2, xz) or frame
/// (zstd), or several, one behind the other.
class Decoder {
public:
    virtual ~Decoder() = default;

    /// Before each member.
    virtual void begin() = 0;
    /// Takes what it can of `input`, and makes at most `room` bytes. Throws DamagedData.
    virtual Decoded decode(const unsigned char* input, std::size_t size, char* into,
                           std::size_t room) = 0;
};

} // namespace alxsim::alx
