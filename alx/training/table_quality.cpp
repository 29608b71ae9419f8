// SPDX-License-Identifier: Apache-2.0
#include "alx/training/table_quality.h"

#include "alx/evaluation/objective.h"
#include "alx/solvers/normal_equations.h"

#include <algorithm>

namespace alxsim::alx {

TableQuality::TableQuality(const AlxConfig& config, const Dataset& data,
                           const SparseMatrix& by_column, const TrainingTables& tables,
                           HostPool& pool)
    : config_(config),
      data_(data),
      by_column_(by_column),
      tables_(tables),
      pool_(pool)
{
}

double TableQuality::objective() const
{
    const TrainingLinks all{&data_.training, &by_column_, trained_rows(config_, data_),
                            tables_.columns.count()};
    return alx::objective(config_, all, tables_.rows.store(), tables_.columns.store(), pool_);
}

Recommendations TableQuality::recommend(const SparseMatrix& history) const
{
    return recommend(history, config_);
}

Recommendations TableQuality::rank(const SparseMatrix& history, std::int32_t top_k) const
{
    AlxConfig whole = config_;
    whole.evaluation.top_k = top_k;
    whole.evaluation.approximate = false;
    return recommend(history, whole);
}

Recommendations TableQuality::recommend(const SparseMatrix& history, const AlxConfig& config) const
{
    const bool plain = config_.semantics.evaluation_reg == EvaluationReg::plain;
    NormalEquations equations(config_, plain ? Regularizer::plain : Regularizer::scaled);
    equations.fix(tables_.column_gramian.matrix(), tables_.columns.count());
    return alx::recommend(config, history, equations, tables_.columns, pool_);
}

std::optional<std::vector<double>> TableQuality::popularity() const
{
    if (data_.test_rows.empty()) {
        return std::nullopt;
    }
    const auto popular = [this](const SparseMatrix& history, std::int32_t top_k) {
        return recommend_popular(history, by_column_, top_k);
    };
    return ranking_means(config_.evaluation.metrics, data_,
                         popular(data_.history, config_.evaluation.top_k), popular);
}

EpochQuality TableQuality::after(int epoch) const
{
    EpochQuality quality{epoch, objective(), std::nullopt, 0};
    if (!data_.test_rows.empty()) {
        const Recommendations all = recommend();
        quality.ranking = ranking_means(config_.evaluation.metrics, data_, all,
                                        [this](const SparseMatrix& history, std::int32_t top_k) {
                                            return rank(history, top_k);
                                        });
        quality.recommended_unlinked = unlinked_of(all);
    }
    return quality;
}

std::int64_t TableQuality::unlinked_of(const Recommendations& all) const
{
    std::int64_t count = 0;
    for (const std::vector<Scored>& top : all) {
        count += std::count_if(top.begin(), top.end(), [&](const Scored& one) {
            return one.id >= data_.training.columns || data_.unlinked.have_column(one.id);
        });
    }
    return count;
}

} // namespace alxsim::alx
