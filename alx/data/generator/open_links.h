// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/buffer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// How many links each column still lacks, and sums of that over columns, which change link by
/// link. A tree of prefix sums with a cache line for each node: on its way down a search meets
/// log_8(columns) lines, of which all but the last two stay in caches.
class OpenLinks {
public:
    /// `links` [columns], each from 0 to 2^32 - 1.
    explicit OpenLinks(const std::vector<std::int64_t>& links);

    /// Counts those among the columns below `column`, which may be the number of columns.
    std::int64_t below(std::int32_t column) const;
    struct Place {
        std::int32_t column;
        std::int64_t below; ///< as below(column)
    };
    /// The column whose links hold number `position`, counted from 0; there must be so many.
    Place at(std::int64_t position) const;
    std::int64_t of(std::int32_t column) const
    {
        return columns_[static_cast<std::size_t>(column)].open;
    }
    /// Notes that `row` has a link in the column, one of those it lacks if it lacks any: whether it
    /// did.
    bool take(std::int32_t column, std::int32_t row);
    /// Whether `row` was the last one to take the column.
    bool is_taken_by(std::int32_t column, std::int32_t row) const
    {
        return columns_[static_cast<std::size_t>(column)].last_row == row;
    }

private:
    static constexpr int fanout = 8;

    struct Column {
        std::uint32_t open = 0;
        std::int32_t last_row = -1;
    };
    /// Sums over the children before each: of the first one 0.
    using Node = std::array<std::int64_t, fanout>;

    spmd::Buffer<Column> columns_; ///< filled up to a multiple of the fan-out
    /// Upwards: a node of the first level has eight blocks of eight columns as its children.
    std::vector<spmd::Buffer<Node>> levels_;
};

} // namespace alxsim::alx
