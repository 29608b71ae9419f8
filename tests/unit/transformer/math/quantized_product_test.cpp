// SPDX-License-Identifier: Apache-2.0
#include "gradient_check.h"
#include "workloads/transformer/math/quantized_product.h"

#include <algorithm>
#include <limits>

namespace alxsim::transformer {
namespace {

/// All numbers of e4m3 that are not negative, in their order: code = exponent 8 + fraction.
std::vector<float> numbers_of_fp8()
{
    std::vector<float> numbers;
    for (int code = 0; code < 127; ++code) { // 127 is no number
        const int exponent = code / 8;
        const int fraction = code % 8;
        numbers.push_back(exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -6 - 3)
                              : std::ldexp(static_cast<float>(8 + fraction), exponent - 7 - 3));
    }
    return numbers;
}

TEST(Fp8, KeepsItsOwnNumbersAndRoundsHalvesToEvenOnes)
{
    const std::vector<float> numbers = numbers_of_fp8();
    EXPECT_EQ(numbers.back(), 448);
    EXPECT_EQ(numbers[1], 0x1p-9F);
    for (std::size_t code = 0; code < numbers.size(); ++code) {
        EXPECT_EQ(round_to_fp8(numbers[code]), numbers[code]);
        EXPECT_EQ(round_to_fp8(-numbers[code]), -numbers[code]);
        if (code + 1 == numbers.size()) {
            break;
        }
        const float middle = (numbers[code] + numbers[code + 1]) / 2;
        const float even = code % 2 == 0 ? numbers[code] : numbers[code + 1];
        EXPECT_EQ(round_to_fp8(middle), even);
        EXPECT_EQ(round_to_fp8(std::nextafter(middle, 0.0F)), numbers[code]);
        EXPECT_EQ(round_to_fp8(std::nextafter(middle, 500.0F)), numbers[code + 1]);
    }
}

TEST(Fp8, EndsAt448)
{
    EXPECT_EQ(round_to_fp8(1e9F), 448);
    EXPECT_EQ(round_to_fp8(-std::numeric_limits<float>::infinity()), -448);
    EXPECT_TRUE(std::isnan(round_to_fp8(std::numeric_limits<float>::quiet_NaN())));
}

template <class Real>
using ProductFunction = void (*)(const spmd::Factors<Real>&, const spmd::ProductShape&);

Doubles product(ProductFunction<double> function, const Doubles& left, const Doubles& right,
                const spmd::ProductShape& shape)
{
    Doubles result(static_cast<std::size_t>(shape.m * shape.n));
    function({{left.data(), shape.k}, {right.data(), shape.n}, {result.data(), shape.n}}, shape);
    return result;
}

TEST(Int8Product, IsExactForWholeNumbersUpTo127)
{
    const Doubles left{127, -3, 0, 5, 127, 64};
    const Doubles right{127, 1, -8, -127, 2, 127}; // [3 x 2]
    expect_near(product(set_int8_product<double>, left, right, {2, 3, 2}),
                product(spmd::set_product<double>, left, right, {2, 3, 2}), 1e-11, "product");
}

TEST(Int8Product, ScalesEachRowAndEachColumnByItself)
{
    // Scales of 1e-6 and 1e3 beside 1 change no relative error.
    const Doubles left{127e-6, -3e-6, 0, 5, 127, 64};
    const Doubles right{127e3, 1, -8e3, -127, 2e3, 127};
    const Doubles found = product(set_int8_product<double>, left, right, {2, 3, 2});
    const Doubles exact = product(spmd::set_product<double>, left, right, {2, 3, 2});
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i] / exact[i], 1, 1e-13);
    }
}

/// The largest error that roundings allow, of `relative` times the largest number of each line (or
/// of each number) in each factor.
void expect_within(ProductFunction<double> function, double half_unit_of_largest,
                   double half_unit_of_each)
{
    const spmd::ProductShape shape{5, 40, 7};
    const Doubles left = drawn(1, shape.m * shape.k);
    const Doubles right = drawn(2, shape.k * shape.n);
    const auto error = [&](const Doubles& numbers, std::size_t at) {
        double largest = 0;
        for (const double number : numbers) {
            largest = std::max(largest, std::abs(number));
        }
        return half_unit_of_largest * largest + half_unit_of_each * std::abs(numbers[at]);
    };
    const Doubles found = product(function, left, right, shape);
    const Doubles exact = product(spmd::set_product<double>, left, right, shape);
    double furthest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        double allowed = 0;
        for (std::size_t k = 0; k < 40; ++k) {
            const std::size_t l = i / 7 * 40 + k;
            const std::size_t r = k * 7 + i % 7;
            const double of_left = error(left, l);
            const double of_right = error(right, r);
            allowed +=
                std::abs(left[l]) * of_right + std::abs(right[r]) * of_left + of_left * of_right;
        }
        EXPECT_LE(std::abs(found[i] - exact[i]), allowed);
        furthest = std::max(furthest, std::abs(found[i] - exact[i]) / allowed);
    }
    EXPECT_GT(furthest, 0.01); // it is rounded, indeed
}

TEST(Int8Product, IsWithinHalfAUnitOfEachFactor)
{
    expect_within(set_int8_product<double>, 0.5 / 127, 0);
}

TEST(Fp8Product, IsWithinHalfAUnitOfEachFactor)
{
    // Three bits behind the leading one; below 2^-6 of 448 half of 2^-9.
    expect_within(set_fp8_product<double>, 0x1p-10 / 448, 0x1p-4 * 1.0001);
}

TEST(Fp8Product, IsExactForItsNumbersWhereSumsAreExactInF32)
{
    const Doubles left{448, 1.5, -0.25, 3, 16, 0};
    const Doubles right{448, 2, -8, 0.5, 1, 28};
    expect_near(product(set_fp8_product<double>, left, right, {2, 3, 2}),
                product(spmd::set_product<double>, left, right, {2, 3, 2}), 1e-11, "product");
}

TEST(QuantizedProducts, TakeTransposedFactorsAndZeros)
{
    const spmd::ProductShape shape{3, 4, 5};
    const Doubles left = drawn(1, 12);
    Doubles right = drawn(2, 20);
    for (std::size_t k = 0; k < 4; ++k) {
        right[k * 5] = 0;
    }
    Doubles left_turned(12);
    Doubles right_turned(20);
    for (std::size_t i = 0; i < 12; ++i) {
        left_turned[i % 4 * 3 + i / 4] = left[i];
    }
    for (std::size_t i = 0; i < 20; ++i) {
        right_turned[i % 5 * 4 + i / 5] = right[i];
    }
    for (const auto function : {set_int8_product<double>, set_fp8_product<double>}) {
        const Doubles expected = product(function, left, right, shape);
        Doubles found(15);
        function({{left_turned.data(), 3, true}, {right_turned.data(), 4, true}, {found.data(), 5}},
                 shape);
        EXPECT_EQ(found, expected);
        EXPECT_EQ(found[0], 0);
        EXPECT_NE(found[1], 0);
    }
}

TEST(QuantizedProducts, OfWhatIsNoNumberAreNoNumbers)
{
    const Doubles left{std::numeric_limits<double>::quiet_NaN(), 1};
    const Doubles right{1, 1};
    EXPECT_TRUE(std::isnan(product(set_int8_product<double>, left, right, {1, 2, 1}).front()));
    EXPECT_TRUE(std::isnan(product(set_fp8_product<double>, left, right, {1, 2, 1}).front()));
}

} // namespace
} // namespace alxsim::transformer
