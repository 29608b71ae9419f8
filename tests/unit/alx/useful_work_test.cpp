// SPDX-License-Identifier: Apache-2.0
#include "alx/workload/job.h"

#include <gtest/gtest.h>

namespace alxsim::alx {
namespace {

/// By loops as the algorithm is written down: products and sums that an epoch cannot do without.
double counted_operations(std::int64_t rows, std::int64_t columns, std::int64_t links, int dim)
{
    double operations = 0;
    for (const std::int64_t solved : {rows, columns}) {
        operations += static_cast<double>(links) * dim * dim * 2; // x x^T of each link
        operations += static_cast<double>(links) * dim * 2;       // the right side
        operations +=
            static_cast<double>(solved) * dim * dim * 2; // the Gramian of the solved table
        for (int column = 0; column < dim; ++column) {   // Cholesky: of the trailing triangle
            operations += static_cast<double>(solved) * (dim - column) * (dim - column);
        }
        operations += static_cast<double>(solved) * dim * dim * 2; // both triangular solves
    }
    return operations;
}

TEST(UsefulWork, OfAnEpochIsWhatTheAlgorithmCountsUpTo)
{
    for (const int dim : {64, 128}) {
        const double counted = counted_operations(1000, 3000, 50000, dim);
        EXPECT_NEAR(epoch_operations(1000, 3000, 50000, dim) / counted, 1, 2.0 / dim)
            << "lower terms of the factorization aside";
    }
}

TEST(UsefulWork, GrowsWithLinksRowsAndDim)
{
    const double one = epoch_operations(1000, 1000, 50000, 64);
    EXPECT_DOUBLE_EQ(epoch_operations(2000, 2000, 100000, 64), 2 * one);
    EXPECT_GT(epoch_operations(1000, 1000, 50000, 128), 3.9 * one);
}

} // namespace
} // namespace alxsim::alx
