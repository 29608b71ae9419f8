// SPDX-License-Identifier: Apache-2.0
#include "base/numbers/random.h"
#include "spmd/linear/product.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace alxsim::spmd {
namespace {

template <class Real>
std::vector<Real> drawn(std::int64_t count, std::uint64_t stream)
{
    std::vector<Real> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(
            static_cast<Real>(normal((stream << 32) + static_cast<std::uint64_t>(i))));
    }
    return numbers;
}

/// One number after the other, by ascending k.
template <class Real>
void add_naively(const Product<Real>& product)
{
    for (std::int64_t i = 0; i < product.m; ++i) {
        for (std::int64_t j = 0; j < product.n; ++j) {
            Real& sum = product.result[i * product.result_row_stride + j];
            for (std::int64_t k = 0; k < product.k; ++k) {
                sum += product.left[i * product.left_row_stride + k * product.left_column_stride] *
                       product.right[k * product.right_row_stride + j];
            }
        }
    }
}

template <class Real, class Add>
std::vector<Real> product_of(const ProductShape& shape, bool transposed, const Add& add)
{
    const std::vector<Real> left = drawn<Real>(shape.m * shape.k, 1);
    const std::vector<Real> right = drawn<Real>(shape.k * shape.n, 2);
    std::vector<Real> result = drawn<Real>(shape.m * shape.n, 3);
    add(Product<Real>{shape.m, shape.k, shape.n, left.data(), transposed ? 1 : shape.k,
                      transposed ? shape.m : 1, right.data(), shape.n, result.data(), shape.n});
    return result;
}

TEST(ProductKernels, HaveTheSameBitsOnEveryLevelAndAsOneSumAfterTheOther)
{
    for (const CpuLevel level : cpu_levels()) {
        const Kernels& of_level = kernels_of(level);
        for (const ProductShape shape : {ProductShape{1, 1, 1}, ProductShape{7, 5, 3},
                                         ProductShape{13, 33, 65}, ProductShape{24, 64, 48}}) {
            for (const bool transposed : {false, true}) {
                EXPECT_EQ(product_of<float>(shape, transposed, of_level.add_product_f32),
                          product_of<float>(shape, transposed, add_naively<float>))
                    << name_of(level);
                EXPECT_EQ(product_of<double>(shape, transposed, of_level.add_product_f64),
                          product_of<double>(shape, transposed, add_naively<double>))
                    << name_of(level);
            }
        }
    }
}

TEST(Products, OfATransposedRightMatrixAreThoseOfItsCopy)
{
    const std::vector<double> left = drawn<double>(3 * 4, 1);
    const std::vector<double> right = drawn<double>(5 * 4, 2);
    std::vector<double> result(3 * 5, 7);
    set_product<double>({{left.data(), 4}, {right.data(), 4, true}, {result.data(), 5}}, {3, 4, 5});
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < 4; ++k) {
                sum += left[i * 4 + k] * right[j * 4 + k];
            }
            EXPECT_EQ(result[i * 5 + j], sum);
        }
    }
}

} // namespace
} // namespace alxsim::spmd
