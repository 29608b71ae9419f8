// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/sparse_matrix.h"

#include <cstdint>
#include <optional>
#include <string>

namespace alxsim::alx {

/// What the file itself does not tell; absent: largest id + 1.
struct MatrixSize {
    std::optional<std::int64_t> rows;
    std::optional<std::int64_t> columns;
};

/// Reads adjacency text, plain or gzip: one row per line, `row column column ...`, 0-based ids,
/// rows in any order, at most one line per row. Columns may repeat or be out of order: they are
/// sorted and kept once. Blank lines are ignored. Throws InputError naming the file, the line, what
/// was found and what is allowed.
SparseMatrix read_adjacency(const std::string& path, const MatrixSize& size = {});

} // namespace alxsim::alx
