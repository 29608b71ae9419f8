// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/byte_source.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Bits of a file, most significant first, and the codes of natural numbers that web graphs use
/// (Boldi, Vigna, "The WebGraph framework II: codes for the World-Wide Web", DCC 2004).
class BitReader {
public:
    explicit BitReader(ByteSource& source);

    std::int64_t position() const { return position_; } ///< bits read so far
    /// Throws InputError, as all that follow, at the end of the file and for a code beyond 2^56.
    std::uint64_t bits(unsigned count); ///< count <= 56
    std::uint64_t unary();              ///< zeros before a one
    std::uint64_t gamma();
    std::uint64_t delta();
    std::uint64_t zeta(unsigned k);
    std::uint64_t nibble(); ///< groups of three bits, each behind a bit that is 1 in the last

private:
    void fill();
    [[noreturn]] void refuse(const char* problem) const;

    ByteSource& source_;
    std::vector<unsigned char> buffer_;
    std::size_t next_ = 0;
    std::size_t end_ = 0;
    std::uint64_t window_ = 0; ///< the next bits, from the most significant bit down
    unsigned available_ = 0;
    std::int64_t position_ = 0;
};

} // namespace alxsim::alx
