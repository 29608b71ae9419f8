// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace alxsim {

/// A number as part of a key: equal bits, equal number.
inline std::int64_t double_bits(double number)
{
    std::int64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

} // namespace alxsim
