// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/kernels/kernels.h"
#include "alx/tables/row_store.h"

#include <cstdint>
#include <memory>

namespace alxsim::alx {

/// Scores queries against consecutive rows of a fixed table.
class Scorer {
public:
    static constexpr int queries_at_once = scored_queries;

    virtual ~Scorer() = default;
    /// <query, row> for the rows [first, first + count) of `queries`, count <= queries_at_once, and
    /// every row that the scorer holds: [queries_at_once x stride()], rounded to f32.
    virtual void score(const RowStore& queries, std::int64_t first, std::int64_t count,
                       float* scores) const = 0;
    /// Rows held, padded; what is beyond is to be ignored.
    virtual std::int64_t stride() const = 0;
};

/// For the rows [first, first + count) of the store. Each score is summed by ascending dimension,
/// in f64 for a store in f64, else in f32 (on a TPU they would be multiplied in bf16 unless told
/// otherwise).
std::unique_ptr<const Scorer> make_scorer(const RowStore& store, std::int64_t first,
                                          std::int64_t count);

} // namespace alxsim::alx
