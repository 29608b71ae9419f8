// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"

#include <string>

namespace alxsim::alx {

/// Everything is training data; the test rows come from a file, plain or compressed: lines `row |
/// history | ground truth`, like `12 | 0 3 | 4`, or TFRecord files of the WebGraph release (by
/// name, as in format_of()), whose col_tag is the history and gt_tag the ground truth. Test rows
/// need not be rows of the matrix: their ids may be beyond it. `first_id`: the id of a text file
/// that becomes 0, as in the training links' file; TFRecords count from 0. Where what the test rows
/// are said to be known by is little of what they are trained on, id_notes say so. Throws
/// InputError naming line or record.
Dataset with_test_file(SparseMatrix training, const std::string& path, std::int64_t first_id = 0);

/// A line of a test file, with its end; `first_id`: what the file calls the id 0.
std::string test_line(std::int32_t row, const TestRowLinks& links, std::int64_t first_id = 0);

} // namespace alxsim::alx
