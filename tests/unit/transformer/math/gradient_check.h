// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/numbers/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace alxsim::transformer {

using Doubles = std::vector<double>;

/// `count` numbers of N(0, 1) that the stream determines.
inline Doubles drawn(std::uint64_t stream, std::int64_t count)
{
    Doubles numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(normal((stream << 32) + static_cast<std::uint64_t>(i)));
    }
    return numbers;
}

inline double dot_of(const Doubles& a, const Doubles& b)
{
    EXPECT_EQ(a.size(), b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

inline void expect_near(const Doubles& found, const Doubles& expected, double tolerance,
                        const std::string& what)
{
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], tolerance) << what << ", number " << i;
    }
}

/// Each number of `gradient` against a central difference of `loss` (its error: the third
/// derivative times 1e-10 / 6, and rounding of 1e-16 / 1e-5 of the loss).
inline void expect_gradient(const std::function<double(const Doubles&)>& loss, Doubles at,
                            const Doubles& gradient, const std::string& what,
                            double tolerance = 2e-8)
{
    constexpr double distance = 1e-5;
    ASSERT_EQ(at.size(), gradient.size()) << what;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const double here = at[i];
        at[i] = here + distance;
        const double above = loss(at);
        at[i] = here - distance;
        const double below = loss(at);
        at[i] = here;
        ASSERT_NEAR(gradient[i], (above - below) / (2 * distance), tolerance)
            << what << ", number " << i;
    }
}

} // namespace alxsim::transformer
