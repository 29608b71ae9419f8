// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/filtered_rows.h"
#include "alx/sparse_matrix.h"

#include <cstdint>

namespace alxsim::alx {

/// What FilteredRows leave of a matrix; `kept` is told the old ids. Throws InputError as they do.
SparseMatrix filter(SparseMatrix matrix, const FilterConfig& config, KeptIds* kept = nullptr);

/// New ids in random order: one order for both sides where rows and columns are the same nodes,
/// which takes locality away and nothing else.
SparseMatrix permute(const SparseMatrix& matrix, bool same_nodes, std::uint64_t seed);

} // namespace alxsim::alx
