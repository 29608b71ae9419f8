// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace alxsim::alx {

/// Called with the ascending ids of each row of a matrix, in order.
using TakeRow = std::function<void(const std::vector<std::int32_t>& ids)>;

MatrixSize size_of(const SparseMatrix& matrix);
void for_each_row(const SparseMatrix& matrix, const TakeRow& row);

/// The rows of a file's matrix, one after another. A file in which they come in order is read anew
/// each time, so that no more than one of them is in memory; of any other, and of a pipe, the links
/// are kept.
class MatrixRows {
public:
    /// `before_keeping` is called before links are read that are to be kept. Throws InputError as
    /// read_matrix() does.
    explicit MatrixRows(const DatasetFile& file, const std::function<void()>& before_keeping = {});

    MatrixSize size() const { return size_; }
    bool are_kept() const { return matrix_.has_value(); }
    /// Throws InputError for a file that is damaged, at its end perhaps, or was written over.
    void for_each(const TakeRow& row) const;

private:
    DatasetFile file_;
    std::unique_ptr<const DatasetReader> reader_;
    std::optional<SparseMatrix> matrix_; ///< absent: the file is read anew
    MatrixSize size_;
};

} // namespace alxsim::alx
