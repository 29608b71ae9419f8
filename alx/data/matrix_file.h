// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <string>
#include <string_view>

namespace alxsim::alx {

/// Adjacency text: one line per row with links; also of the last row, so that the number of rows is
/// kept.
std::string adjacency_text(const SparseMatrix& matrix);

/// What the file of this name is to hold: of names with .txt or .adj adjacency text, else a cache.
std::string matrix_bytes(const SparseMatrix& matrix, const std::string& path);

/// `content`, as a gzip file if the name ends in .gz.
std::string compressed_as_named(std::string content, const std::string& path);

} // namespace alxsim::alx
