// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/tables/row_store.h"

#include <cstdint>
#include <memory>

namespace alxsim::alx {

/// Scores some queries against blocks of rows of a table. The queries lie in panels, whose scores
/// of one row stand side by side. For one thread.
class Scorer {
public:
    /// The longest block: it stays in cache while all panels meet it.
    static constexpr std::int64_t block_rows = 96;
    /// Rows that are scored together: fewer cost as much (kernels/scores.h).
    static constexpr std::int64_t tile_rows = 12;

    virtual ~Scorer() = default;
    /// Takes the rows [first, first + count) of a table as the block; count <= block_rows.
    virtual void take_block(const RowStore& table, std::int64_t first, std::int64_t count) = 0;
    /// The same of the rows first + places[i].
    virtual void take_block(const RowStore& table, std::int64_t first, const std::int32_t* places,
                            std::int64_t count) = 0;
    /// <row, query> for `count` rows of the block from `first` on and the queries [panel *
    /// panel_width(), (panel + 1) * panel_width()), zeros for those that there are not: [count x
    /// panel_width()], rounded to f32.
    virtual void score(std::int64_t panel, std::int64_t first, std::int64_t count,
                       float* scores) const = 0;
    virtual std::int64_t panels() const = 0;
    virtual std::int64_t panel_width() const = 0;
    virtual int dim() const = 0;
};

/// For all rows of `queries`. Each score is summed by ascending dimension, in f64 for queries in
/// f64, else in f32 (on a TPU they would be multiplied in bf16 unless told otherwise).
std::unique_ptr<Scorer> make_scorer(const RowStore& queries);

} // namespace alxsim::alx
