// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/packed_output.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace alxsim::alx {

/// Writes the file of a matrix row by row: of names with .txt or .adj adjacency text, one line per
/// row with links and of the last row, so that the number of rows is kept; else a cache. gzip if
/// the name ends in .gz. Keeps a piece of it alone.
class MatrixWriter {
public:
    MatrixWriter(std::ostream& file, const std::string& path, std::int32_t rows,
                 std::int32_t columns, std::int64_t links);

    /// The next row; `ids` ascend.
    void row(const std::vector<std::int32_t>& ids);
    /// After the last row.
    void finish();

private:
    void flush();

    PackedOutput output_;
    bool text_;
    std::int32_t rows_;
    std::int32_t next_ = 0;
    std::uint32_t sum_ = 0; ///< CRC-32 of what is written, of a cache
    std::string piece_;
};

/// What the file of this name is to hold.
std::string matrix_bytes(const SparseMatrix& matrix, const std::string& path);
/// The same into a file.
void write_matrix(std::ostream& file, const SparseMatrix& matrix, const std::string& path);

} // namespace alxsim::alx
