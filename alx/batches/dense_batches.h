// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Fills dense batches one row after another (the released batching_utils.py): a row of n ids takes
/// ceil(n / line_length) lines and one row slot; when either runs out, a new batch starts. No
/// sorting. Works on lengths alone. Ground-truth lines bound the batch too where there are any
/// (test batches).
class BatchPacker {
public:
    BatchPacker(const BatchGeometry& geometry, Admission admission,
                std::int64_t ground_truth_lines = 0);

    /// Lines that a row of `length` ids asks for.
    std::int64_t lines_needed(std::int64_t length) const;
    /// Whether the current batch has room for such a row.
    bool fits(std::int64_t length, std::int64_t ground_truth_length = 0) const;
    /// Puts a row into the current batch, or into a new one: then true.
    bool add(std::int64_t length, std::int64_t ground_truth_length = 0);

private:
    std::int64_t lines_taken(std::int64_t length) const;

    BatchGeometry geometry_;
    Admission admission_;
    std::int64_t ground_truth_lines_;
    std::int64_t lines_ = 0;
    std::int64_t rows_ = 0;
    std::int64_t truths_ = 0;
};

/// One batch: a run of consecutive examples; empty in a batch that only pads the devices.
struct BatchRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t held_before = 0; ///< links of its first row that the device's batches before hold
    bool goes_on = false;         ///< its only row fills it, and goes on in the device's next batch

    /// Rows that it completes, whose systems are solved.
    std::int64_t solved() const { return goes_on ? 0 : count; }
};

/// The links [begin, end) of a row, which stand in one batch.
struct RowPiece {
    std::int32_t row = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    bool completes = true; ///< no batch holds later links of the row

    std::int64_t links() const { return end - begin; }
    bool whole() const { return begin == 0 && completes; }
};

/// The batches of a half, step by step, one for each device.
struct DenseBatches {
    BatchGeometry geometry;
    std::vector<std::int32_t> examples; ///< row ids, in order
    std::vector<BatchRange> batches;    ///< with those that pad the devices, which are empty
    std::int64_t filled = 0;            ///< batches that are not empty
    std::int64_t links = 0;
    bool splits_rows = false; ///< some row stands in several batches

    /// Share of the filled batches' slots that hold a link.
    double density() const;
    /// What stands in slot `slot` of a batch, of rows of `matrix`.
    RowPiece piece(const BatchRange& range, std::int64_t slot, const SparseMatrix& matrix) const;
    std::vector<RowPiece> pieces(const BatchRange& range, const SparseMatrix& matrix) const;
};

/// What is batched, and how an error names it.
struct BatchSource {
    const SparseMatrix* links = nullptr;
    std::vector<std::int32_t> examples; ///< rows of `links`, in order
    std::string pointer;      ///< the field of the study that says how many lines a batch has
    std::string kind;         ///< "row" or "column"
    std::string way_out = {}; ///< what else an error offers
    bool splits = false;      ///< rows longer than a batch stand in several of them
    /// What test batches have besides: by the same rows, bounded by its own number of lines.
    const SparseMatrix* ground_truth = nullptr;
    std::int64_t ground_truth_lines = 0;
};

/// A row that is split starts a batch, and fills one batch after another of one device; others fill
/// the rest of its last one. Devices begin with such rows, those of most batches first.
/// Throws InputError for a row that does not fit a batch and is not split.
DenseBatches make_dense_batches(BatchSource source, const BatchGeometry& geometry,
                                const Semantics& semantics, int devices);

/// The same with every batch at the owner of its rows: each group of examples is batched by itself
/// and dealt to `deal_to[group]`, the devices that hold its rows; those that pad stand wherever a
/// device has none left. Throws likewise.
DenseBatches make_owner_batches(const BatchSource& source,
                                const std::vector<std::vector<std::int32_t>>& groups,
                                const std::vector<std::vector<int>>& deal_to,
                                const BatchGeometry& geometry, const Semantics& semantics,
                                int devices);

/// A batch as the devices see it; -1 pads ids. Names and layout are those of the released code.
struct ExpandedBatch {
    std::vector<std::int32_t> batched_history; ///< [lines * line_length]
    std::vector<std::int32_t> batch_ids;       ///< [lines]: the row slot that a line belongs to
    std::vector<std::int32_t> row_ids;         ///< [rows]
    std::vector<std::int32_t> item_lengths;    ///< [rows]
};

ExpandedBatch expand(const DenseBatches& batches, std::size_t index, const SparseMatrix& matrix);

/// A batch's links, line by line.
struct DenseLines {
    std::vector<std::int32_t> ids;   ///< [lines * line_length], -1 pads
    std::vector<std::int32_t> slots; ///< [lines]; unused lines carry the last row's slot
};

DenseLines lay_out(const SparseMatrix& matrix, const std::vector<RowPiece>& pieces,
                   std::int64_t lines, std::int64_t line_length);

} // namespace alxsim::alx
