// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/dense_batches.h"

#include "base/input_error.h"
#include "matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::alx {
namespace {

using testing::AllOf;
using testing::HasSubstr;

DenseBatches batch(const SparseMatrix& matrix, const BatchGeometry& geometry, int devices)
{
    return make_dense_batches({&matrix, linked_rows(matrix), "/workload/alx/batch/lines", "row"},
                              geometry, {}, devices);
}

TEST(DenseBatches, AnExactMultipleReservesNoSpareLine)
{
    const SparseMatrix matrix = matrix_of({{0, 1, 2, 3}, {0, 1, 2, 3}, {0}}, 4);
    const DenseBatches batches = batch(matrix, {2, 4, 8}, 1);
    ASSERT_EQ(batches.batches.size(), 2u);
    EXPECT_EQ(batches.batches[0].count, 2);
    EXPECT_EQ(batches.batches[1].count, 1);
    EXPECT_DOUBLE_EQ(batches.density(), 9.0 / 16);
}

TEST(DenseBatches, RowSlotsRunOutBeforeLines)
{
    const SparseMatrix matrix = matrix_of({{0}, {0}, {0}}, 1);
    EXPECT_EQ(batch(matrix, {100, 4, 2}, 1).filled, 2);
}

TEST(DenseBatches, RowsWithoutLinksAreNotBatched)
{
    const SparseMatrix matrix = matrix_of({{}, {0}, {}, {0}}, 1);
    EXPECT_EQ(batch(matrix, {4, 4, 4}, 1).examples, (std::vector<std::int32_t>{1, 3}));
}

TEST(DenseBatches, EmptyBatchesFillTheLastStepOnlyWhereNeeded)
{
    const SparseMatrix matrix = matrix_of({{0}, {0}, {0}, {0}}, 1);
    EXPECT_EQ(batch(matrix, {1, 1, 1}, 3).batches.size(), 6u);
    EXPECT_EQ(batch(matrix, {1, 1, 1}, 4).batches.size(), 4u);
    EXPECT_EQ(batch(matrix, {1, 1, 1}, 3).filled, 4);
}

TEST(DenseBatches, ARowThatFitsNoBatchIsRefusedNamingRowLengthAndField)
{
    const SparseMatrix matrix = matrix_of({{0}, {0, 1, 2, 3, 4, 5, 6, 7, 8}}, 9);
    try {
        batch(matrix, {2, 4, 8}, 1);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("/workload/alx/batch/lines: found 2"),
                                        HasSubstr("row 1 has 9 links"), HasSubstr("holds 8"),
                                        HasSubstr("3 lines or more")));
    }
}

} // namespace
} // namespace alxsim::alx
