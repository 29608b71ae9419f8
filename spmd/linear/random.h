// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/random.h"

#include <cstdint>

namespace alxsim::spmd {

/// Number `index` of a stream of random numbers, each by itself: whoever holds a part of an array
/// makes that part. `stream` and `index` are below 2^32.
constexpr std::uint64_t random_key(std::uint64_t stream, std::int64_t index)
{
    return (stream << 32) + static_cast<std::uint64_t>(index);
}

/// A draw of N(0, 1).
inline double random_normal(std::uint64_t stream, std::int64_t index)
{
    return normal(random_key(stream, index));
}

/// -1 or 1, by the upper bit.
inline double random_sign(std::uint64_t stream, std::int64_t index)
{
    return 1 - 2 * static_cast<int>(mix64(random_key(stream, index)) >> 63); // without a branch
}

/// In (0, 1).
inline double random_uniform(std::uint64_t stream, std::int64_t index)
{
    return to_unit_interval(mix64(random_key(stream, index)));
}

} // namespace alxsim::spmd
