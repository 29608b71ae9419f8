// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/mix64.h"
#include "base/portable_math.h"

#include <cmath>
#include <cstdint>

namespace alxsim {

/// The splitmix64 sequence of a seed.
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        const std::uint64_t value = mix64(state_);
        state_ += 0x9e3779b97f4a7c15u;
        return value;
    }
    /// In [0, bound), 1 <= bound <= 2^32; the bias is below 2^-32 * bound.
    std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

private:
    std::uint64_t state_;
};

/// In (0, 1), from the upper 53 bits.
inline double to_unit_interval(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1.0p-53;
}

/// A draw of N(0, 1) that `key` alone determines (Box-Muller).
inline double normal(std::uint64_t key)
{
    const double radius = std::sqrt(-2.0 * portable::log(to_unit_interval(mix64(key))));
    return radius * portable::cos_of_turns(to_unit_interval(mix64(~key)));
}

} // namespace alxsim
