// SPDX-License-Identifier: Apache-2.0
#include "base/numbers/random.h"
#include "model/graph/effects.h"
#include "spmd/linear/quantized_product.h"
#include "spmd/step_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alxsim::spmd {
namespace {

using model::DType;
using Doubles = std::vector<double>;

Doubles drawn(std::uint64_t stream, std::int64_t count)
{
    Doubles numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(normal((stream << 32) + static_cast<std::uint64_t>(i)));
    }
    return numbers;
}

void expect_near(const Doubles& found, const Doubles& expected, double tolerance)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance) << "number " << i;
    }
}

struct Fp8Case {
    DType type;
    int bias, fraction_bits, codes; ///< those that are numbers and not negative
    float largest;
};

const Fp8Case e4m3{DType::fp8_e4m3, 7, 3, 127, 448};    // the last code is no number
const Fp8Case e5m2{DType::fp8_e5m2, 15, 2, 124, 57344}; // the last four are infinity and none

/// All numbers that are not negative, in their order: code = exponent 2^bits + fraction.
std::vector<float> numbers_of(const Fp8Case& of)
{
    std::vector<float> numbers;
    const int fractions = 1 << of.fraction_bits;
    for (int code = 0; code < of.codes; ++code) {
        const int exponent = code / fractions;
        const int fraction = code % fractions;
        numbers.push_back(
            exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - of.bias - of.fraction_bits)
                          : std::ldexp(static_cast<float>(fractions + fraction),
                                       exponent - of.bias - of.fraction_bits));
    }
    return numbers;
}

class Fp8 : public testing::TestWithParam<Fp8Case> {};

TEST_P(Fp8, KeepsItsOwnNumbersAndRoundsHalvesToEvenOnes)
{
    const DType type = GetParam().type;
    const std::vector<float> numbers = numbers_of(GetParam());
    EXPECT_EQ(numbers.back(), GetParam().largest);
    for (std::size_t code = 0; code < numbers.size(); ++code) {
        EXPECT_EQ(round_to_fp8(type, numbers[code]), numbers[code]);
        EXPECT_EQ(round_to_fp8(type, -numbers[code]), -numbers[code]);
        if (code + 1 == numbers.size()) {
            break;
        }
        const float middle = (numbers[code] + numbers[code + 1]) / 2;
        const float even = code % 2 == 0 ? numbers[code] : numbers[code + 1];
        EXPECT_EQ(round_to_fp8(type, middle), even);
        EXPECT_EQ(round_to_fp8(type, std::nextafter(middle, 0.0F)), numbers[code]);
        EXPECT_EQ(round_to_fp8(type, std::nextafter(middle, 1e9F)), numbers[code + 1]);
    }
}

TEST_P(Fp8, EndsAtItsLargestNumber)
{
    const auto [type, bias, bits, codes, largest] = GetParam();
    EXPECT_EQ(round_to_fp8(type, 1e9F), largest);
    EXPECT_EQ(round_to_fp8(type, -std::numeric_limits<float>::infinity()), -largest);
    EXPECT_TRUE(std::isnan(round_to_fp8(type, std::numeric_limits<float>::quiet_NaN())));
}

INSTANTIATE_TEST_SUITE_P(Types, Fp8, testing::Values(e4m3, e5m2), [](const auto& one) {
    return one.param.type == DType::fp8_e4m3 ? "e4m3" : "e5m2";
});

Doubles quantized_product(DType left_type, DType right_type, const MatrixAt<const double>& left,
                          const MatrixAt<const double>& right, const ProductShape& shape)
{
    const auto stored = [](const MatrixAt<const double>& matrix, std::int64_t rows,
                           std::int64_t columns) {
        return matrix.transposed ? ProductShape{columns, 0, rows} : ProductShape{rows, 0, columns};
    };
    const auto quantized = [&](DType type, const MatrixAt<const double>& matrix,
                               const ProductShape& as_stored, ScaleOf of, Doubles& numbers,
                               Doubles& scales) {
        numbers.resize(static_cast<std::size_t>(as_stored.m * as_stored.n));
        scales.resize(static_cast<std::size_t>(scales_of(of, as_stored.m, as_stored.n)));
        quantize(type, of, matrix.numbers, as_stored.m, as_stored.n, numbers.data(), scales.data());
        return QuantizedFactor<double>{
            type, {numbers.data(), as_stored.n, matrix.transposed}, scales.data()};
    };
    Doubles left_numbers;
    Doubles left_scales;
    Doubles right_numbers;
    Doubles right_scales;
    const auto a = quantized(left_type, left, stored(left, shape.m, shape.k),
                             scale_of_left(left_type, left.transposed), left_numbers, left_scales);
    const auto b =
        quantized(right_type, right, stored(right, shape.k, shape.n),
                  scale_of_left(right_type, !right.transposed), right_numbers, right_scales);
    Doubles result(static_cast<std::size_t>(shape.m * shape.n));
    set_quantized_product<double>(a, b, {result.data(), shape.n}, shape);
    return result;
}

Doubles product(DType type, const Doubles& left, const Doubles& right, const ProductShape& shape)
{
    return quantized_product(type, type, {left.data(), shape.k}, {right.data(), shape.n}, shape);
}

Doubles exact_product(const Doubles& left, const Doubles& right, const ProductShape& shape)
{
    Doubles result(static_cast<std::size_t>(shape.m * shape.n));
    set_product<double>({{left.data(), shape.k}, {right.data(), shape.n}, {result.data(), shape.n}},
                        shape);
    return result;
}

TEST(Int8Product, IsExactForWholeNumbersUpTo127)
{
    const Doubles left{127, -3, 0, 5, 127, 64};
    const Doubles right{127, 1, -8, -127, 2, 127}; // [3 x 2]
    expect_near(product(DType::i8, left, right, {2, 3, 2}), exact_product(left, right, {2, 3, 2}),
                1e-11);
}

TEST(Int8Product, ScalesEachRowAndEachColumnByItself)
{
    // Scales of 1e-6 and 1e3 beside 1 change no relative error.
    const Doubles left{127e-6, -3e-6, 0, 5, 127, 64};
    const Doubles right{127e3, 1, -8e3, -127, 2e3, 127};
    const Doubles found = product(DType::i8, left, right, {2, 3, 2});
    const Doubles exact = exact_product(left, right, {2, 3, 2});
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i] / exact[i], 1, 1e-13);
    }
}

/// Errors are what roundings allow: a share of the largest number of a factor, or of each number.
void expect_within(DType type, double half_unit_of_largest, double half_unit_of_each)
{
    const ProductShape shape{5, 40, 7};
    const Doubles left = drawn(1, shape.m * shape.k);
    const Doubles right = drawn(2, shape.k * shape.n);
    const auto error = [&](const Doubles& numbers, std::size_t at) {
        double largest = 0;
        for (const double number : numbers) {
            largest = std::max(largest, std::abs(number));
        }
        return half_unit_of_largest * largest + half_unit_of_each * std::abs(numbers[at]);
    };
    const Doubles found = product(type, left, right, shape);
    const Doubles exact = exact_product(left, right, shape);
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
    expect_within(DType::i8, 0.5 / 127, 0);
}

TEST(Fp8Product, IsWithinHalfAUnitOfEachFactor)
{
    // Three bits behind the leading one, and below 2^-6 half of 2^-9; two, and 2^-14, 2^-16.
    expect_within(DType::fp8_e4m3, 0x1p-10 / 448, 0x1p-4 * 1.0001);
    expect_within(DType::fp8_e5m2, 0x1p-17 / 57344, 0x1p-3 * 1.0001);
}

TEST(Fp8Product, IsExactForItsNumbersWhereSumsAreExactInF32)
{
    const Doubles left{448, 1.5, -0.25, 3, 16, 0};
    const Doubles right{448, 2, -8, 0.5, 1, 28};
    expect_near(product(DType::fp8_e4m3, left, right, {2, 3, 2}),
                exact_product(left, right, {2, 3, 2}), 1e-11);
}

TEST(QuantizedProducts, TakeTransposedFactorsAndZeros)
{
    const ProductShape shape{3, 4, 5};
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
    for (const DType type : {DType::i8, DType::fp8_e4m3, DType::fp8_e5m2}) {
        const Doubles expected = product(type, left, right, shape);
        EXPECT_EQ(quantized_product(type, type, {left_turned.data(), 3, true},
                                    {right_turned.data(), 4, true}, shape),
                  expected);
        EXPECT_EQ(expected[0], 0);
        EXPECT_NE(expected[1], 0);
    }
}

TEST(QuantizedProducts, OfWhatIsNoNumberAreNoNumbers)
{
    const Doubles left{std::numeric_limits<double>::quiet_NaN(), 1};
    const Doubles right{1, 1};
    EXPECT_TRUE(std::isnan(product(DType::i8, left, right, {1, 2, 1}).front()));
    EXPECT_TRUE(std::isnan(product(DType::fp8_e4m3, left, right, {1, 2, 1}).front()));
}

TEST(QuantizedProducts, OfAStepAreOfEightBitsAndTheirFactorsAreQuantizedBefore)
{
    Numbers numbers(1, true);
    StepBuilder step(DeviceMesh({{"data", 1}}), &numbers);
    const Array x = step.array("x", {3, 4}, DType::f64);
    const Array w = step.array("w", {5, 4}, DType::f64);
    const Array bias = step.array("bias", {1, 5}, DType::f64);
    const Array y = step.array("y", {3, 5}, DType::f64);
    StepBuilder::Fused fused;
    fused.bias = bias;
    fused.quantized = std::pair(DType::i8, DType::i8);
    step.multiply("product", "forward", {x}, {w, true}, {y}, fused);
    const Doubles left = drawn(1, 12);
    const Doubles right = drawn(2, 20);
    numbers.write(x, 0, left);
    numbers.write(w, 0, right);
    numbers.write(bias, 0, {1, 2, 3, 4, 5});
    const model::OpGraph graph = step.take("step");
    HostPool pool(1);
    model::run_effects(graph, 1, pool);
    Doubles expected = quantized_product(DType::i8, DType::i8, {left.data(), 4},
                                         {right.data(), 4, true}, {3, 4, 5});
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += static_cast<double>(i % 5 + 1);
    }
    EXPECT_EQ(numbers.read(y, 0), expected);
    ASSERT_EQ(graph.ops.size(), 3U);
    const auto& work = std::get<model::Matmul>(graph.ops.back().work);
    EXPECT_EQ(work.dtype, DType::i8);
    EXPECT_EQ(graph.ops.back().reads.front().touched.count(), 3 * 4);
    EXPECT_EQ(graph.ops.front().reads.front().touched.count(), 3 * 4 * 8);
}

TEST(QuantizedProducts, TakeAFactorThatStandsInEightBitsAsItIsReadAndGiveTheSame)
{
    Numbers numbers(1, true);
    StepBuilder step(DeviceMesh({{"data", 1}}), &numbers);
    const Array x = step.array("x", {3, 4}, DType::f64);
    const Array w = step.array("w", {4, 5}, DType::f64);
    const Array stored = step.array("stored", {4, 5}, DType::i8);
    const Array scales = step.array("scales", {1, 5}, DType::f64);
    const Array y = step.array("y", {3, 5}, DType::f64);
    const Array z = step.array("z", {3, 5}, DType::f64);
    StepBuilder::Fused fused;
    fused.quantized = std::pair(DType::i8, DType::i8);
    step.multiply("product", "forward", {x}, {w}, {y}, fused);
    step.multiply("product of stored", "forward", {x}, {stored, false, 1, scales}, {z}, fused);
    const Doubles right = drawn(2, 20);
    Doubles rounded(20);
    Doubles of_columns(5);
    quantize(DType::i8, ScaleOf::columns, right.data(), 4, 5, rounded.data(), of_columns.data());
    numbers.write(x, 0, drawn(1, 12));
    numbers.write(w, 0, right);
    numbers.write(stored, 0, rounded);
    numbers.write(scales, 0, of_columns);
    const model::OpGraph graph = step.take("step");
    HostPool pool(1);
    model::run_effects(graph, 1, pool);
    EXPECT_EQ(numbers.read(z, 0), numbers.read(y, 0));
    ASSERT_EQ(graph.ops.size(), 5U); // of the second: x quantized, and the product
    EXPECT_EQ(graph.ops.back().reads.at(2).touched.count(), 4 * 5);
}

} // namespace
} // namespace alxsim::spmd
