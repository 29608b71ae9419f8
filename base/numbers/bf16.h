// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace alxsim {

/// The upper half of an IEEE float32's bits.
using Bf16 = std::uint16_t;

/// Round to nearest, ties to even, as XLA's convert does
/// (https://cloud.google.com/tpu/docs/bfloat16). A NaN stays a (quiet) NaN.
inline Bf16 to_bf16(float value)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value) {
        return static_cast<Bf16>((bits >> 16) | 0x0040u);
    }
    return static_cast<Bf16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float to_float(Bf16 value)
{
    const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
    float result = 0;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

} // namespace alxsim
