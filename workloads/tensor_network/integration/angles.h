// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/portable_math.h"

#include <cmath>

namespace alxsim::tensor_network {

constexpr double pi = 3.14159265358979323846;

/// Returns that of an angle in radians, the same bits on every CPU.
inline double cosine(double angle)
{
    const double turns = angle / (2 * pi);
    return portable::cos_of_turns(turns - std::floor(turns));
}

inline double sine(double angle)
{
    return cosine(angle - pi / 2);
}

} // namespace alxsim::tensor_network
