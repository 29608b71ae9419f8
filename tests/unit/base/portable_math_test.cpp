// SPDX-License-Identifier: Apache-2.0
#include "base/portable_math.h"

#include "base/numbers/mix64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace alxsim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int draws = 100'000;

/// In (0, 1).
double unit(std::uint64_t key)
{
    return (static_cast<double>(mix64(key) >> 11) + 0.5) * 0x1.0p-53;
}

/// Distance in units of the reference's last place; the reference has an error of its own of up to
/// one where long double is no longer than double.
double ulps(long double reference, double value)
{
    const double size = std::abs(static_cast<double>(reference));
    const double ulp = std::nextafter(size, infinity) - size;
    return static_cast<double>(std::abs(static_cast<long double>(value) - reference)) / ulp;
}

/// Over the exponents of f64, and near 1.
TEST(PortableMath, LogarithmIsWithinAnUlp)
{
    double worst = 0;
    double worst2 = 0;
    for (int i = 0; i < draws; ++i) {
        const double x = std::ldexp(1 + unit(i), static_cast<int>(2000 * unit(~i)) - 1000);
        const double near_one = 1 + (unit(i) - 0.5) * 1e-3;
        worst =
            std::max({worst, ulps(std::log(static_cast<long double>(x)), portable::log(x)),
                      ulps(std::log(static_cast<long double>(near_one)), portable::log(near_one))});
        worst2 = std::max(worst2, ulps(std::log2(static_cast<long double>(x)), portable::log2(x)));
    }
    EXPECT_LE(worst, 1.0);
    EXPECT_LE(worst2, 2.0);
}

TEST(PortableMath, LogarithmToBaseTwoIsExactAtPowersOfTwo)
{
    for (int exponent = -1074; exponent < 1024; ++exponent) {
        EXPECT_EQ(portable::log2(std::ldexp(1.0, exponent)), exponent);
    }
}

TEST(PortableMath, ExponentialIsWithinAnUlp)
{
    double worst = 0;
    double worst_less_one = 0;
    for (int i = 0; i < draws; ++i) {
        const double x = 1400 * (unit(i) - 0.5);
        const double small = 4 * (unit(i) - 0.5);
        worst = std::max(worst, ulps(std::exp(static_cast<long double>(x)), portable::exp(x)));
        worst_less_one = std::max(worst_less_one, ulps(std::expm1(static_cast<long double>(small)),
                                                       portable::expm1(small)));
    }
    EXPECT_LE(worst, 1.0);
    EXPECT_LE(worst_less_one, 4.0);
}

/// Far beyond what a f64 holds, around 0, and so many that some are left over.
TEST(PortableMath, ArraysHaveTheBitsOfSingleNumbers)
{
    std::vector<double> numbers{0, -0.0, 0.34, -0.34, 709.8, -745.3, infinity, -infinity};
    for (int i = 0; i < draws; ++i) {
        numbers.push_back((unit(i) - 0.5) * std::ldexp(1.0, i % 16 - 4));
    }
    std::vector<double> powers = numbers; // in place, too
    std::vector<double> less_one(numbers.size());
    portable::exp(powers.data(), powers.data(), powers.size());
    portable::expm1(numbers.data(), less_one.data(), numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        ASSERT_EQ(powers[i], portable::exp(numbers[i])) << numbers[i];
        ASSERT_EQ(less_one[i], portable::expm1(numbers[i])) << numbers[i];
    }
}

TEST(PortableMath, PowersLoseWhatTheirLogarithmIsLong)
{
    for (int i = 0; i < draws; ++i) {
        const double x = std::ldexp(1 + unit(i), static_cast<int>(200 * unit(~i)) - 100);
        const double y = 6 * (unit(3 * i) - 0.5);
        ASSERT_LE(ulps(std::pow(static_cast<long double>(x), static_cast<long double>(y)),
                       portable::pow(x, y)),
                  2 * std::abs(y * std::log(x)) + 2)
            << x << " to the " << y;
    }
    EXPECT_EQ(portable::pow(0.3, 1), 0.3);
    EXPECT_EQ(portable::pow(0.3, 0), 1);
    EXPECT_EQ(portable::pow(0, 2.5), 0);
}

TEST(PortableMath, CosineAndErrorFunctionAgreeWithTheCLibrary)
{
    constexpr long double two_pi = 6.283185307179586476925286766559L;
    for (int i = 0; i < draws; ++i) {
        ASSERT_NEAR(portable::cos_of_turns(unit(i)),
                    static_cast<double>(std::cos(two_pi * static_cast<long double>(unit(i)))),
                    3e-16);
        const double x = 14 * (unit(i) - 0.5);
        ASSERT_NEAR(portable::erf(x), std::erf(x), 4e-15);
    }
    EXPECT_EQ(portable::cos_of_turns(0), 1);
    EXPECT_EQ(portable::cos_of_turns(1), 1);
}

TEST(PortableMath, EndsOfTheRangeAreThoseOfTheStandard)
{
    EXPECT_EQ(portable::log(0), -infinity);
    EXPECT_EQ(portable::log(infinity), infinity);
    EXPECT_TRUE(std::isnan(portable::log(-1)));
    EXPECT_EQ(portable::exp(-infinity), 0);
    EXPECT_EQ(portable::exp(710), infinity);
    EXPECT_EQ(portable::exp(-746), 0);
    EXPECT_EQ(portable::exp(0), 1);
    EXPECT_TRUE(std::isnan(portable::exp(std::nan(""))));
}

/// Each CPU that runs this checks itself.
TEST(PortableMath, GivesTheSameBitsEverywhere)
{
    std::uint64_t digest = 0;
    const auto add = [&](double value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        digest = mix64(digest ^ bits);
    };
    for (int i = 0; i < draws; ++i) {
        add(portable::log(1e6 * unit(i)));
        add(portable::log2(1e6 * unit(i)));
        add(portable::exp(40 * (unit(i) - 0.5)));
        add(portable::expm1(unit(i)));
        add(portable::pow(1e3 * unit(i), 4 * (unit(~i) - 0.5)));
        add(portable::cos_of_turns(unit(i)));
        add(portable::erf(6 * (unit(i) - 0.5)));
    }
    EXPECT_EQ(digest, 9630714224482986253U);
}

} // namespace
} // namespace alxsim
