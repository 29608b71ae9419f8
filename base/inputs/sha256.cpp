// SPDX-License-Identifier: Apache-2.0
#include "base/inputs/sha256.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace alxsim {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

std::uint32_t rotated(std::uint32_t word, int bits)
{
    return (word >> bits) | (word << (32 - bits));
}

/// One of 64. `d` and `h` change, and stand one place further in the next.
void add_round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d, std::uint32_t e,
               std::uint32_t f, std::uint32_t g, std::uint32_t& h, std::uint32_t constant)
{
    const std::uint32_t one =
        h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (g ^ (e & (f ^ g))) + constant;
    const std::uint32_t two =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) | (c & (a | b)));
    d += one;
    h = one + two;
}

/// `block`: 64 bytes.
void add_block(State& state, const unsigned char* block)
{
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        const unsigned char* bytes = block + 4 * i;
        w[i] = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
               std::uint32_t{bytes[2]} << 8 | bytes[3];
    }
    for (std::size_t i = 16; i < w.size(); ++i) {
        const std::uint32_t early = w[i - 15];
        const std::uint32_t late = w[i - 2];
        w[i] = w[i - 16] + (rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)) + w[i - 7] +
               (rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10));
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < w.size(); i += 8) { // then each word is in its own place again
        const auto constants = [&w, i](std::size_t round) {
            return round_constants[i + round] + w[i + round];
        };
        add_round(a, b, c, d, e, f, g, h, constants(0));
        add_round(h, a, b, c, d, e, f, g, constants(1));
        add_round(g, h, a, b, c, d, e, f, constants(2));
        add_round(f, g, h, a, b, c, d, e, constants(3));
        add_round(e, f, g, h, a, b, c, d, constants(4));
        add_round(d, e, f, g, h, a, b, c, constants(5));
        add_round(c, d, e, f, g, h, a, b, constants(6));
        add_round(b, c, d, e, f, g, h, a, constants(7));
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] += added[i];
    }
}

} // namespace

void Sha256::add(std::string_view bytes)
{
    const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    bytes_ += left;
    const auto take = [&](std::size_t count) {
        std::copy_n(next, count, rest_.begin() + static_cast<std::ptrdiff_t>(rest_bytes_));
        rest_bytes_ += count;
        next += count;
        left -= count;
    };
    if (rest_bytes_ > 0) {
        take(std::min(left, block_bytes - rest_bytes_));
        if (rest_bytes_ < block_bytes) {
            return;
        }
        add_block(state_, rest_.data());
        rest_bytes_ = 0;
    }
    for (; left >= block_bytes; next += block_bytes, left -= block_bytes) {
        add_block(state_, next);
    }
    take(left);
}

std::string Sha256::digest()
{
    const std::uint64_t bits = bytes_ * 8;
    add(std::string_view("\x80", 1));
    const std::size_t zeros = (2 * block_bytes - 8 - rest_bytes_) % block_bytes;
    std::string end(zeros, '\0');
    for (int shift = 56; shift >= 0; shift -= 8) {
        end += static_cast<char>(bits >> shift);
    }
    add(end);
    std::string digest;
    for (const std::uint32_t word : state_) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            digest += static_cast<char>(word >> shift);
        }
    }
    return digest;
}

std::string sha256_hex(Sha256& bytes)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string hex;
    for (const char byte : bytes.digest()) {
        hex += digits[static_cast<unsigned char>(byte) >> 4];
        hex += digits[static_cast<unsigned char>(byte) & 15];
    }
    return hex;
}

std::string sha256_base64(std::string_view text)
{
    constexpr const char* letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    Sha256 bytes;
    bytes.add(text);
    const std::string digest = bytes.digest();
    std::string result;
    for (std::size_t i = 0; i < digest.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            bits = bits << 8 | (j < digest.size() ? static_cast<unsigned char>(digest[j]) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            result += i + j <= digest.size() ? letters[bits >> (18 - 6 * j) & 63] : '=';
        }
    }
    return result;
}

} // namespace alxsim
