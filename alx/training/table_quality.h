// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/evaluation/evaluation.h"
#include "alx/training/training_tables.h"
#include "base/host_pool.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alxsim::alx {

/// How good the tables are after an epoch.
struct EpochQuality {
    int epoch = 0; ///< 1 after the first; 0: the initial tables of a job without epochs
    double objective = 0;
    /// Means of config.evaluation.metrics, in their order; absent without test rows.
    std::optional<std::vector<double>> ranking;
    /// Of what was recommended to the test rows: columns in which no link lies, phantoms among
    /// them.
    std::int64_t recommended_unlinked = 0;
};

/// How good a job's tables are, as they are when it is asked. All referenced objects outlive it.
class TableQuality {
public:
    /// `by_column` is the transposed matrix.
    TableQuality(const AlxConfig& config, const Dataset& data, const SparseMatrix& by_column,
                 const TrainingTables& tables, HostPool& pool);

    double objective() const;
    /// To the test rows.
    Recommendations recommend() const { return recommend(data_.history); }
    /// To rows with these links, [rows x columns].
    Recommendations recommend(const SparseMatrix& history) const;
    /// The same of recommending the most linked columns to all rows.
    std::optional<std::vector<double>> popularity() const;
    EpochQuality after(int epoch) const;

private:
    Recommendations recommend(const SparseMatrix& history, const AlxConfig& config) const;
    /// The exact ranking down to place `top_k`.
    Recommendations rank(const SparseMatrix& history, std::int32_t top_k) const;
    std::int64_t unlinked_of(const Recommendations& all) const;

    const AlxConfig& config_;
    const Dataset& data_;
    const SparseMatrix& by_column_;
    const TrainingTables& tables_;
    HostPool& pool_;
};

} // namespace alxsim::alx
