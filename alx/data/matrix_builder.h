// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/data/link_runs.h"
#include "alx/data/row_sink.h"

#include <string_view>
#include <utility>

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

/// Keeps what a reader finds as a matrix.
class MatrixBuilder : public RowSink {
public:
    using RowSink::RowSink;
    /// After the last row.
    virtual SparseMatrix finish() = 0;
};

/// Builds from files that hold whole rows, in any order.
class RowsBuilder final : public MatrixBuilder {
public:
    using MatrixBuilder::MatrixBuilder;
    /// Throws InputError for a row that came twice, and as refuse_empty().
    SparseMatrix finish() override;

private:
    struct ListedRow {
        std::int32_t row;
        std::int64_t number;
        std::int64_t list; ///< of lists_
    };
    void take(std::int32_t row, std::int64_t number,
              const std::vector<std::int32_t>& columns) override;
    void refuse_duplicates() const;
    /// The lists of rows [0, rows), of which those that the file does not name are empty.
    IdLists lists_by_row(std::int32_t rows);
    /// SparseMatrix::listed.
    std::vector<std::int32_t> rows_in_order() const;

    std::vector<ListedRow> rows_;
    IdLists lists_; ///< in the order of the file
};

/// Builds from files that hold single links, in any order. Links that came twice count once.
class LinksBuilder final : public MatrixBuilder {
public:
    using MatrixBuilder::MatrixBuilder;
    /// Throws InputError as refuse_empty().
    SparseMatrix finish() override;

private:
    /// Throws InputError where the links so far take more memory than the host has: a pipe may have
    /// no end.
    void take(std::int32_t row, std::int64_t number,
              const std::vector<std::int32_t>& columns) override;
    void check_memory(std::int64_t line);

    LinkRuns runs_;
    std::int64_t checked_bytes_ = 0;
};

/// Builds from files that tell their sizes, and hold all rows in order.
class OrderedBuilder final : public MatrixBuilder {
public:
    using MatrixBuilder::MatrixBuilder;
    void set_size(std::int64_t rows, std::int64_t columns) override;
    SparseMatrix finish() override { return std::move(matrix_); }

private:
    void take(std::int32_t row, std::int64_t number,
              const std::vector<std::int32_t>& columns) override;

    SparseMatrix matrix_;
};

} // namespace alxsim::alx
