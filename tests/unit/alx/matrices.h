// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// From lists of columns, one per row.
SparseMatrix matrix_of(const std::vector<std::vector<std::int32_t>>& rows, std::int32_t columns);

/// Few columns are popular, most are not.
SparseMatrix power_law_matrix(std::int32_t rows, std::int32_t columns, std::uint64_t seed);

/// Rows and columns belong to `groups` groups; nine of ten links stay within the group.
SparseMatrix planted_matrix(std::int32_t rows, std::int32_t columns, std::int32_t groups,
                            std::int32_t links_per_row, std::uint64_t seed);

} // namespace alxsim::alx
