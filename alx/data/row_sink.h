// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::alx {

class WeightedLinks;

/// What readers find goes here: whole rows in any order, single links in any order, or all rows one
/// after the other. Says how large their matrix is, and what becomes of the rows its kinds say.
class RowSink {
public:
    /// `unit` is what holds a row or a link, for messages: "line" or "record".
    RowSink(DatasetFile file, std::string unit);
    virtual ~RowSink() = default;
    RowSink(const RowSink&) = delete;
    RowSink& operator=(const RowSink&) = delete;

    /// Takes the sizes of a file that tells them, before its first row.
    virtual void set_size(std::int64_t rows, std::int64_t columns);

    /// Begins the row that the unit with this number (from 1) holds.
    void begin(std::int32_t row, std::int64_t number);
    void add(std::int32_t column) { columns_.push_back(column); }
    /// Sorts the row and keeps each column once.
    void end();

    /// A single link. Those of a row that come one after the other are taken together.
    void link(std::int32_t row, std::int32_t column, std::int64_t number)
    {
        if (row != row_) {
            flush();
            open(row, number);
        }
        if (column > largest_column_) {
            largest_column_ = column;
            largest_column_number_ = number;
        }
        columns_.push_back(column);
        ++counted_;
        if (columns_.size() >= most_columns_) {
            make_room(number);
        }
    }

    /// The row after the one before, of a file with all rows in order; `ids` ascend.
    void next(const std::vector<std::int32_t>& ids) { take(next_row_++, 0, ids); }

    /// Gives `weights` what each link weighs, too, in ratings or values; before reading.
    void keep_weights(WeightedLinks* weights) { weights_ = weights; }
    /// Null where nobody wants them.
    WeightedLinks* weights() const { return weights_; }

    /// Whether no row was begun and no link came.
    bool empty() const { return counted_ == 0; }

protected:
    /// A row, or a part of one: its columns ascend, each once. `number` is that of its unit.
    virtual void take(std::int32_t row, std::int64_t number,
                      const std::vector<std::int32_t>& columns) = 0;
    /// Takes the links that have not been taken yet.
    void flush();
    /// Rows and columns: those that the file or the user tells, else the largest id + 1. After the
    /// last row. Throws InputError as refuse_empty().
    MatrixSize checked_size() const;

    const DatasetFile& file() const { return file_; }
    /// "line 3".
    std::string place(std::int64_t number) const { return unit_ + " " + std::to_string(number); }
    const std::string& unit() const { return unit_; }

private:
    void open(std::int32_t row, std::int64_t number);
    void sort_columns();
    void make_room(std::int64_t number);

    DatasetFile file_;
    WeightedLinks* weights_ = nullptr;
    std::string unit_;
    std::optional<MatrixSize> told_;    ///< by the file
    std::int32_t row_ = -1;             ///< that is open
    std::int64_t number_ = 0;           ///< of the unit in which it began
    std::vector<std::int32_t> columns_; ///< of it
    std::size_t most_columns_;
    std::int32_t next_row_ = 0;
    std::int64_t counted_ = 0; ///< links, each as often as it came, and rows that were begun
    std::int64_t largest_row_ = -1;
    std::int64_t largest_row_number_ = 0;
    std::int64_t largest_column_ = -1;
    std::int64_t largest_column_number_ = 0; ///< of the unit that it stands in
};

/// A matrix takes memory for each row and column up to the largest: throws InputError where those
/// of a `side`, "rows" or "columns", are more than 2^20 and 1024 times the links or listed rows,
/// unless the user gives that size; and, whoever gives it, where the host has no such memory.
void refuse_empty(const std::string& side, const DatasetFile& file, std::int64_t size,
                  std::int64_t links, const std::string& place);

/// Throws InputError if a size is given and not that of the file.
void check_sizes(const DatasetFile& file, std::int64_t rows, std::int64_t columns);

} // namespace alxsim::alx
