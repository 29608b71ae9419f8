// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "base/json_document.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Batches as the released batching code names their parts: [{batched_history [lines *
/// line_length], batch_ids [lines], row_ids [rows], item_lengths [rows]}]; test batches also
/// {batched_ground_truths, ground_truth_batch_ids}. `ids` gives the batched rows their ids; empty:
/// they have them.
Json batches_json(const DenseBatches& batches, const SparseMatrix& links,
                  const std::vector<std::int32_t>& ids = {},
                  const SparseMatrix* ground_truth = nullptr, std::int64_t ground_truth_lines = 0);

/// A batching case by itself: {examples [[row id, [ids], [ground truth]]...], batch_size (lines),
/// num_rows_per_batch, seq_len, is_test, ground_truth_batch_size, num_devices (null: no device
/// padding)} -> {batches, num_batches_before_padding}. As the released code does it. Throws
/// InputError for a field that is missing or wrong, and for a row that does not fit a batch.
Json batch_case(const Json& request, const std::string& file);

} // namespace alxsim::alx
