// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace alxsim::hlo {

/// Multiplies numbers that are not negative: what cannot be counted is the largest that can, so
/// that damaged sizes give large counts and no others.
inline std::int64_t product(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
}
inline std::int64_t sum(std::int64_t a, std::int64_t b)
{
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max()
                                                 : result;
}
inline std::int64_t quotient_up(std::int64_t a, std::int64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

} // namespace alxsim::hlo
