// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace alxsim {

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
class Sha256 {
public:
    void add(std::string_view bytes);
    /// Returns the digest of all that was added, 32 bytes. Nothing may be added after it.
    std::string digest();

private:
    static constexpr std::size_t block_bytes = 64;

    std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, block_bytes> rest_{}; ///< of the last block that is not whole
    std::size_t rest_bytes_ = 0;
    std::uint64_t bytes_ = 0; ///< added so far
};

/// In base64 (RFC 4648), as a Content-Security-Policy has it.
std::string sha256_base64(std::string_view text);

/// In hexadecimal digits, as sha256sum prints it.
std::string sha256_hex(Sha256& bytes);

} // namespace alxsim
