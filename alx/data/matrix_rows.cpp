// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_rows.h"

#include "alx/data/matrix_builder.h"
#include "base/input_error.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace alxsim::alx {
namespace {

/// A row comes behind one with a larger id, or comes again.
class OutOfOrder : public std::exception {};

/// Counts the links of rows that come in order. Throws OutOfOrder at the first that does not.
class Survey final : public RowSink {
public:
    using RowSink::RowSink;

    MatrixSize size()
    {
        flush();
        MatrixSize size = checked_size();
        size.links = links_;
        return size;
    }

private:
    void take(std::int32_t row, std::int64_t /*number*/,
              const std::vector<std::int32_t>& columns) override
    {
        if (row <= last_) {
            throw OutOfOrder();
        }
        last_ = row;
        links_ += static_cast<std::int64_t>(columns.size());
    }

    std::int32_t last_ = -1;
    std::int64_t links_ = 0;
};

/// Hands on rows that come in order, and empty ones where none comes, up to a size.
class Delivery final : public RowSink {
public:
    Delivery(const DatasetFile& file, const std::string& unit, const MatrixSize& size,
             const TakeRow& row)
        : RowSink(file, unit),
          size_(size),
          row_(row)
    {
    }

    void finish()
    {
        flush();
        fill_up_to(size_.rows);
        check(links_ == size_.links);
    }

private:
    void take(std::int32_t row, std::int64_t /*number*/,
              const std::vector<std::int32_t>& columns) override
    {
        check(row >= rows_ && row < size_.rows &&
              (columns.empty() || columns.back() < size_.columns));
        fill_up_to(row);
        row_(columns);
        ++rows_;
        links_ += static_cast<std::int64_t>(columns.size());
    }

    void fill_up_to(std::int64_t row)
    {
        static const std::vector<std::int32_t> empty;
        for (; rows_ < row; ++rows_) {
            row_(empty);
        }
    }

    void check(bool as_before) const
    {
        if (!as_before) {
            throw InputError(file().path, "", "was written over while it was read");
        }
    }

    MatrixSize size_;
    const TakeRow& row_;
    std::int64_t rows_ = 0;
    std::int64_t links_ = 0;
};

/// Whether the file is on a disk, and no pipe.
bool can_be_read_again(const DatasetReader& reader, const DatasetFile& file)
{
    const std::vector<std::string> paths = reader.paths(file);
    return std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
        std::error_code no_file;
        return std::filesystem::is_regular_file(path, no_file);
    });
}

/// Returns the size told by a file in which the rows come in order; none of another.
std::optional<MatrixSize> size_in_order(const DatasetReader& reader, const DatasetFile& file)
{
    if (std::optional<MatrixSize> told = reader.told_size(file)) {
        return told;
    }
    try {
        Survey survey(file, reader.unit());
        reader.read(file, survey);
        return survey.size();
    } catch (const OutOfOrder&) {
        return {};
    }
}

} // namespace

MatrixSize size_of(const SparseMatrix& matrix)
{
    return {matrix.rows, matrix.columns, matrix.links()};
}

void for_each_row(const SparseMatrix& matrix, const TakeRow& row)
{
    std::vector<std::int32_t> ids;
    for (std::int32_t i = 0; i < matrix.rows; ++i) {
        matrix.read(i, ids);
        row(ids);
    }
}

MatrixRows::MatrixRows(const DatasetFile& file, const std::function<void()>& before_keeping)
    : file_(file),
      reader_(reader_of(file))
{
    if (can_be_read_again(*reader_, file)) {
        if (const std::optional<MatrixSize> size = size_in_order(*reader_, file)) {
            size_ = *size;
            return;
        }
    }
    if (before_keeping) {
        before_keeping();
    }
    matrix_ = read_matrix(file);
    size_ = size_of(*matrix_);
}

void MatrixRows::for_each(const TakeRow& row) const
{
    if (!matrix_) {
        Delivery delivery(file_, reader_->unit(), size_, row);
        reader_->read(file_, delivery);
        delivery.finish();
        return;
    }
    for_each_row(*matrix_, row);
}

} // namespace alxsim::alx
