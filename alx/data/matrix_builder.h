// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/dataset_reader.h"
#include "alx/data/link_runs.h"

#include <functional>
#include <string_view>

namespace alxsim::alx {

/// Ids and their count + 1 fit an int32.
constexpr std::int64_t largest_id = 2147483646;

/// Reads ids of one side of a matrix and holds them against their limits.
class IdParser {
public:
    /// `kind` is "row" or "column", `first` the smallest id in the file (0 or 1), `size` of the
    /// side, if known.
    IdParser(std::string path, std::string kind, std::int64_t first,
             const std::optional<std::int64_t>& size);

    /// 0-based. `place` is called for a refusal alone.
    template <class Place>
    std::int32_t parse(std::string_view token, const Place& place) const
    {
        std::int64_t id = token.empty() ? largest_id + 2 : 0;
        for (const char c : token) {
            if (c < '0' || c > '9') {
                refuse(token, place());
            }
            id = id > largest_id ? id : id * 10 + (c - '0');
        }
        if (id < first_ || id > last_) {
            refuse(token, place());
        }
        return static_cast<std::int32_t>(id - first_);
    }
    template <class Place>
    std::int32_t check(std::int64_t id, const Place& place) const
    {
        if (id < first_ || id > last_) {
            refuse(std::to_string(id), place());
        }
        return static_cast<std::int32_t>(id - first_);
    }

private:
    [[noreturn]] void refuse(std::string_view token, const std::string& place) const;

    std::string path_;
    std::string kind_;
    std::int64_t first_;
    std::int64_t last_;
};

/// Builds a matrix from files that hold whole rows, in any order.
class RowsBuilder {
public:
    /// `unit` is what holds a row, for messages: "line" or "record".
    RowsBuilder(const DatasetFile& file, std::string unit);

    /// Begins the row that the unit with this number (from 1) of file `path` holds.
    void begin(std::int32_t row, std::int64_t number);
    void add(std::int32_t column) { columns_.push_back(column); }
    /// Sorts the row and keeps each column once.
    void end();
    /// Throws InputError for a row that came twice, and as refuse_empty().
    SparseMatrix finish();
    bool empty() const { return rows_.empty(); }

private:
    struct ListedRow {
        std::int32_t row;
        std::int64_t number;
        std::int64_t list; ///< of lists_
    };
    void refuse_duplicates() const;
    /// The lists of rows [0, rows), of which those that the file does not name are empty.
    IdLists lists_by_row(std::int32_t rows);
    /// SparseMatrix::listed.
    std::vector<std::int32_t> rows_in_order() const;

    DatasetFile file_;
    std::string unit_;
    std::vector<ListedRow> rows_;
    std::vector<std::int32_t> columns_; ///< of the row that has begun
    IdLists lists_;                     ///< in the order of the file
    std::int64_t largest_column_ = -1;
    std::int64_t largest_column_number_ = 0; ///< of the unit that it stands in
};

/// Builds a matrix from single links in any order.
class LinksBuilder {
public:
    explicit LinksBuilder(const DatasetFile& file) : file_(file) {}

    /// `line` is where the link stands, for messages. Throws InputError where the links so far take
    /// more memory than the host has: a pipe may have no end.
    void add(std::int32_t row, std::int32_t column, std::int64_t line)
    {
        if (row > largest_row_) {
            largest_row_ = row;
            largest_row_line_ = line;
        }
        if (column > largest_column_) {
            largest_column_ = column;
            largest_column_line_ = line;
        }
        runs_.add(row, column);
        if (runs_.bytes() > checked_bytes_) {
            check_memory(line);
        }
    }
    std::int64_t links() const { return runs_.links(); }
    /// Sizes that the user does not give are the largest id + 1. Links that came twice count once.
    /// Throws InputError as refuse_empty().
    SparseMatrix finish();
    /// Sizes beyond all ids.
    SparseMatrix finish(std::int64_t rows, std::int64_t columns);

private:
    void check_memory(std::int64_t line);

    DatasetFile file_;
    LinkRuns runs_;
    std::int64_t checked_bytes_ = 0;
    std::int32_t largest_row_ = -1;
    std::int32_t largest_column_ = -1;
    std::int64_t largest_row_line_ = 0;
    std::int64_t largest_column_line_ = 0;
};

/// A matrix takes memory for each row and column up to the largest: throws InputError where those
/// of a `side`, "rows" or "columns", are more than 2^20 and 1024 times the links or listed rows,
/// unless the user gives that size; and, whoever gives it, where the host has no such memory.
void refuse_empty(const std::string& side, const DatasetFile& file, std::int64_t size,
                  std::int64_t links, const std::string& place);

/// Throws InputError if a size is given and not that of the file.
void check_sizes(const DatasetFile& file, std::int64_t rows, std::int64_t columns);

} // namespace alxsim::alx
