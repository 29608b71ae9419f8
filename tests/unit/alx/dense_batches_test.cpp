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

DenseBatches split(const SparseMatrix& matrix, const BatchGeometry& geometry, int devices)
{
    BatchSource source{&matrix, linked_rows(matrix), "/workload/alx/batch/lines", "row"};
    source.splits = true;
    return make_dense_batches(std::move(source), geometry, {}, devices);
}

/// Batches of 4 lines of 2: row 0 fills two batches and half of a third, whose rest rows 1 and 2
/// fill.
TEST(SplitRows, FillBatchesOfOneDeviceAndOthersFillTheRestOfTheLast)
{
    const SparseMatrix matrix =
        matrix_of({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18},
                   {0, 1},
                   {0, 1},
                   {5, 6, 7}},
                  19);
    const DenseBatches batches = split(matrix, {4, 2, 8}, 2);
    EXPECT_TRUE(batches.splits_rows);
    EXPECT_EQ(batches.filled, 4);
    ASSERT_EQ(batches.batches.size(), 6u) << "three steps of two devices";
    const auto piece = [&](std::size_t batch, std::int64_t slot) {
        return batches.piece(batches.batches[batch], slot, matrix);
    };
    EXPECT_EQ(piece(0, 0).end, 8);
    EXPECT_FALSE(piece(0, 0).completes);
    EXPECT_EQ(piece(2, 0).begin, 8);
    EXPECT_EQ(piece(2, 0).end, 16);
    EXPECT_EQ(piece(4, 0).begin, 16);
    EXPECT_EQ(piece(4, 0).end, 19);
    EXPECT_TRUE(piece(4, 0).completes);
    EXPECT_EQ(batches.batches[4].count, 3) << "rows 1 and 2 take the two lines that are left";
    EXPECT_EQ(piece(1, 0).row, 3);
    EXPECT_EQ(batches.batches[0].solved() + batches.batches[2].solved(), 0);
    const ExpandedBatch second = expand(batches, 2, matrix);
    EXPECT_EQ(second.batched_history, (std::vector<std::int32_t>{8, 9, 10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(second.item_lengths.front(), 8);
}

/// On any geometry and number of devices.
TEST(SplitRows, HoldEachLinkOnceAndInOrderOnOneDevice)
{
    const SparseMatrix matrix = power_law_matrix(300, 400, 7);
    for (const BatchGeometry geometry : {BatchGeometry{2, 4, 3}, {1, 3, 1}, {5, 2, 50}}) {
        for (const int devices : {1, 3, 8}) {
            const DenseBatches batches = split(matrix, geometry, devices);
            ASSERT_EQ(batches.batches.size() % static_cast<std::size_t>(devices), 0u);
            std::vector<std::int64_t> held(static_cast<std::size_t>(matrix.rows));
            std::vector<std::int64_t> last_batch(held.size(), -1);
            for (std::size_t i = 0; i < batches.batches.size(); ++i) {
                std::int64_t lines = 0;
                for (const RowPiece& piece : batches.pieces(batches.batches[i], matrix)) {
                    const auto row = static_cast<std::size_t>(piece.row);
                    EXPECT_EQ(piece.begin, held[row]) << "row " << row;
                    EXPECT_EQ(piece.completes, piece.end == matrix.length(piece.row));
                    if (piece.begin > 0) {
                        EXPECT_EQ(last_batch[row] + devices, static_cast<std::int64_t>(i))
                            << "the device's next batch";
                    }
                    held[row] = piece.end;
                    last_batch[row] = static_cast<std::int64_t>(i);
                    lines += ceil_divide(piece.links(), geometry.line_length);
                }
                EXPECT_LE(lines, geometry.lines);
                EXPECT_LE(batches.batches[i].count, geometry.rows);
            }
            for (std::int32_t row = 0; row < matrix.rows; ++row) {
                EXPECT_EQ(held[static_cast<std::size_t>(row)], matrix.length(row));
            }
            EXPECT_EQ(batches.links, matrix.links());
        }
    }
}

} // namespace
} // namespace alxsim::alx
