// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/files/packed_output.h"
#include "alx/sparse_matrix.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace alxsim::alx {

/// How a matrix is written: so that format_of() knows it again by its name.
enum class MatrixForm {
    adjacency, ///< .txt, .adj: a line per row with links and of the last row, which tells the rows
    edges,     ///< .tsv, .csv, .edges: a line per link, sizes in a comment alone
    matrix_market, ///< .mtx: coordinate pattern general, ids from 1
    cache          ///< any other
};
MatrixForm form_of(const std::string& path);

/// Writes the file of a matrix row by row, in form_of() its name; gzip if that ends in .gz. Keeps a
/// piece of it alone.
class MatrixWriter {
public:
    /// Throws InputError for a name of another compression.
    MatrixWriter(std::ostream& file, const std::string& path, std::int32_t rows,
                 std::int32_t columns, std::int64_t links);

    /// The next row; `ids` ascend.
    void row(const std::vector<std::int32_t>& ids);
    /// After the last row.
    void finish();

private:
    void flush();

    /// The row as text.
    void append_text(std::int32_t row, const std::vector<std::int32_t>& ids);

    PackedOutput output_;
    MatrixForm form_;
    char separator_; ///< of edges
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
