// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/evaluation/evaluation.h"
#include "alx/training/training_tables.h"
#include "base/host_pool.h"
#include "base/json_document.h"

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
    /// Columns that were recommended to the test rows and in which no link lies, phantoms among
    /// them.
    std::int64_t recommended_unlinked = 0;
    /// Whether the tables are as good as 0: the objective is that of zeros, what the links weigh.
    bool collapsed = false;
    /// That of the metric that the study is judged by; absent where it has none.
    std::optional<double> standard_error = {};

    /// Returns the metric that the study is judged by.
    std::optional<double> judged(const AlxConfig& config) const
    {
        return ranking ? std::optional(ranking->at(config.evaluation.judged_by)) : std::nullopt;
    }
};

Json kept_json(const EpochQuality& quality);
/// Reads what kept_json() made.
EpochQuality epoch_quality(const Json& kept);

/// The one whose metric that the study is judged by is largest, the first of equals; of a study
/// without test rows the last. `all` is not empty.
const EpochQuality& best_of(const AlxConfig& config, const std::vector<EpochQuality>& all);

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
    /// Whether all numbers of the columns that have links are 0.
    bool is_zero() const;

private:
    NormalEquations equations() const;
    std::vector<double> areas() const;
    std::int64_t unlinked_of(const Recommendations& all) const;

    const AlxConfig& config_;
    const Dataset& data_;
    const SparseMatrix& by_column_;
    const TrainingTables& tables_;
    HostPool& pool_;
    double of_zeros_ = 0; ///< the objective of tables of zeros
};

} // namespace alxsim::alx
