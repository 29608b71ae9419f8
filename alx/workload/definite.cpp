// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/definite.h"

#include "base/text/printed.h"
#include "spmd/buffer.h"
#include "spmd/kernels/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace alxsim::alx {
namespace {

/// Relative to the largest number: halves that were summed in f32 in different orders differ by
/// less.
constexpr double symmetric_within = 1e-5;

std::string place_and_value(std::int64_t row, std::int64_t column, double value)
{
    return "row " + std::to_string(row) + ", column " + std::to_string(column) + " is " +
           printed("%.6g", value);
}

std::string why_not_symmetric(const double* matrix, std::int64_t dim)
{
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double largest = std::abs(*std::max_element(matrix, matrix + dim * dim, larger));
    for (std::int64_t row = 0; row < dim; ++row) {
        for (std::int64_t column = row + 1; column < dim; ++column) {
            const double above = matrix[row * dim + column];
            const double below = matrix[column * dim + row];
            // Halves, because the difference of two large numbers may be beyond all.
            if (!(std::abs(above / 2 - below / 2) <= symmetric_within * (largest / 2))) {
                return place_and_value(row, column, above) + ", " +
                       place_and_value(column, row, below) + ": it is not symmetric";
            }
        }
    }
    return "";
}

/// The upper factor U of A = U^T U; from the first row on at which there is none its diagonal is
/// not a number.
spmd::Buffer<double> factor_of(const double* matrix, std::int64_t dim, std::int64_t stride)
{
    const auto length = static_cast<std::size_t>(stride);
    spmd::Buffer<double> factor(length * length, 0.0);
    for (std::int64_t row = 0; row < dim; ++row) {
        std::copy_n(matrix + row * dim, dim, factor.begin() + row * stride);
    }
    const spmd::Buffer<double> rhs(length, 0.0);
    spmd::Buffer<double> solution(length);
    spmd::Buffer<double> scratch(spmd::scratch_numbers(stride));
    spmd::solver_kernels<double>().cholesky({static_cast<int>(dim), static_cast<int>(stride),
                                             factor.data(), rhs.data(), solution.data()},
                                            scratch.data());
    return factor;
}

} // namespace

std::string why_not_definite(const double* matrix, int dim)
{
    const std::string asymmetric = why_not_symmetric(matrix, dim);
    if (!asymmetric.empty()) {
        return asymmetric;
    }
    const std::int64_t stride = spmd::padded(dim);
    const spmd::Buffer<double> factor = factor_of(matrix, dim, stride);
    const double rounding = dim * std::numeric_limits<double>::epsilon();
    for (std::int64_t row = 0; row < dim; ++row) {
        const double root = factor[static_cast<std::size_t>(row * stride + row)];
        if (!(root * root > rounding * matrix[row * dim + row])) {
            return row == 0 ? place_and_value(0, 0, matrix[0]) + ": it is not positive definite"
                            : "elimination finds no positive pivot for row " + std::to_string(row) +
                                  " (from 0): it is not positive definite";
        }
    }
    return "";
}

} // namespace alxsim::alx
