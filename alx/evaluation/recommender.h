// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/evaluation/top_k.h"
#include "alx/sparse_matrix.h"
#include "alx/tables/factor_table.h"

#include <cstdint>
#include <vector>

namespace alxsim::alx {

/// Columns that are ranked together: a shard, or all real ones.
struct RankedColumns {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t candidates = 0; ///< the first ones, which may be recommended
    /// The candidates' places, the one that reaches farthest first, where that is worth it; else
    /// empty, and they are ranked as they stand.
    std::vector<std::int32_t> farthest_first = {};
};

/// Ranks the columns of a table for test rows, as config.semantics says. All referenced objects
/// outlive it.
class Recommender {
public:
    /// `history` is [test rows x columns]. `reaches`: of the table's rows (score_bound.h), so that
    /// columns which can enter no list are not scored; worth it for many queries. None: all are.
    Recommender(const AlxConfig& config, const SparseMatrix& history, const FactorTable& columns,
                std::vector<float> reaches = {});

    /// [queries.rows()][at most k], best first, for the test rows from `begin` on, whose solutions
    /// `queries` holds. May be called from many threads.
    std::vector<std::vector<Scored>> recommend(const RowStore& queries, std::int64_t begin) const;

private:
    std::vector<std::int32_t> farthest_first(const RankedColumns& shard) const;
    std::vector<Scored> merged(std::vector<std::vector<Scored>> lists) const;

    const AlxConfig& config_;
    const SparseMatrix& history_;
    const FactorTable& columns_;
    std::vector<float> reaches_;
    bool sharded_;
    std::vector<RankedColumns> shards_;
};

} // namespace alxsim::alx
