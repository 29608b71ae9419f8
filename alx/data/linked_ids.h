// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/split.h"
#include "alx/sparse_matrix.h"

#include <vector>

namespace alxsim::alx {

/// Which rows and columns have a link, [rows] and [columns]. Ids without links are numbers that
/// somebody has left out, or pages that nobody links to: no part of the data's mathematics.
struct LinkedIds {
    std::vector<bool> rows;
    std::vector<bool> columns;
};

LinkedIds linked_ids(const SparseMatrix& matrix);
/// The same of training links, test rows, their history and their ground truth together.
LinkedIds linked_ids(const Dataset& data);

/// Only the rows and columns with links, in their old order under new ids from 0, and rows are
/// examples in that order, whatever that of the file: so that it does not matter how the source
/// numbers them. `kept` then tells the old ids.
SparseMatrix only_linked(SparseMatrix matrix, KeptIds& kept);
/// The same of all parts of the data; test rows are rows of the training matrix, empty ones
/// perhaps, wherever their numbers lie. `data.source_ids` then tell the old ids.
Dataset only_linked(Dataset data);

/// Keeps, where later links are split off, only the rows and columns with links to train on, so
/// that what is learned knows nothing of what comes later, not even how much. Columns that are to
/// be found but not trained on have ids behind all others in the ground truth, and in no table.
Dataset only_trained(Dataset data);

/// The ids that are not linked, ascending.
UnlinkedIds unlinked_ids(const LinkedIds& linked);

/// `kept` of what `before` has left: by ids of the source.
KeptIds composed(const KeptIds& before, KeptIds kept);

} // namespace alxsim::alx
