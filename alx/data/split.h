// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/filter.h"
#include "alx/sparse_matrix.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Strong generalization (Marlin 2004): whole rows are held out of training; of each, a part of its
/// links is shown to the finished model (the history) and the rest must be found (the ground
/// truth).
struct SplitConfig {
    double test_rows = 0.10; ///< share of the eligible rows that are test rows
    double held_out_links =
        0.25;                   ///< share of a test row's links that are ground truth, at least one
    std::int64_t min_links = 5; ///< rows with fewer are never test rows
    std::uint64_t seed = 1;
};

/// Rows and columns in which no link of the data lies, ascending.
struct UnlinkedIds {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    bool left_out = false; ///< whether the data's rows and columns are without them

    /// Whether a column of the data is one of them.
    bool have_column(std::int32_t id) const
    {
        return !left_out && std::binary_search(columns.begin(), columns.end(), id);
    }
};

/// What a job trains and tests on. Row and column ids are those of the whole matrix.
struct Dataset {
    SparseMatrix training; ///< test rows that a split took are empty in it
    std::vector<std::int32_t>
        test_rows;             ///< ascending; from a test file also rows beyond training's
    SparseMatrix history;      ///< [test rows x columns]
    SparseMatrix ground_truth; ///< [test rows x columns]
    /// What the source calls rows and columns that have new ids: what a filter dropped, or what has
    /// no links (linked_ids.h), leaves no gap.
    KeptIds source_ids;
    /// What the source's file calls the id 0: where its ids count from 1, they are read as if from
    /// 0, but people tell and are told the file's.
    std::int64_t first_source_id = 0;
    /// Among the source's ids, less what a filter has dropped.
    UnlinkedIds unlinked = {};
    /// Empty rows of `training` that were taken out before: a validation split's test rows.
    std::int64_t withheld_rows = 0;
    /// What a split by time or of last links did, for people; "" of any other.
    std::string split_as = {};
    /// What people should know of the ids in its files, a sentence each.
    std::vector<std::string> id_notes = {};
    /// How its file is written, where there was something to find (DatasetReader::how_read).
    std::string read_as = {};

    /// Rows that take part in training: all but those withheld and the test rows that are empty in
    /// it. Counts as the rows' number in the regularizer and the objective.
    std::int64_t training_row_count() const;
};

/// Everything is training data.
Dataset without_split(SparseMatrix matrix);

/// The test rows, ascending, of rows of these lengths.
std::vector<std::int32_t> test_rows_of(const std::vector<std::int64_t>& lengths,
                                       const SplitConfig& config);

/// The links of a test row in two parts, each ascending.
struct TestRowLinks {
    std::vector<std::int32_t> history;
    std::vector<std::int32_t> ground_truth;
};

/// Draws which of a test row's links, `ids`, are held out. `rank`: how many of the rows before it
/// have links.
TestRowLinks test_row_links(std::int32_t rank, std::vector<std::int32_t> ids,
                            const SplitConfig& config);

/// Which rows are test rows depends on the seed and on which rows are eligible; which of a row's
/// links are held out, on the seed, its length and its rank among the rows with links: on no id.
Dataset split(const SparseMatrix& matrix, const SplitConfig& config);

} // namespace alxsim::alx
