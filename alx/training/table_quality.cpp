// SPDX-License-Identifier: Apache-2.0
#include "alx/training/table_quality.h"

#include "alx/evaluation/area_under_curve.h"
#include "alx/evaluation/objective.h"
#include "alx/solvers/normal_equations.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

/// Tables whose objective differs by less, relatively, from that of zeros hold nothing.
constexpr double no_more = 1e-4;

bool has_area(const AlxConfig& config)
{
    const std::vector<RankingMetric>& metrics = config.evaluation.metrics;
    return std::any_of(metrics.begin(), metrics.end(), [](const RankingMetric& metric) {
        return metric.kind == RankingMetric::Kind::auc;
    });
}

} // namespace

Json kept_json(const EpochQuality& quality)
{
    return {quality.epoch,
            quality.objective,
            quality.ranking ? Json(*quality.ranking) : Json(),
            quality.recommended_unlinked,
            quality.collapsed,
            quality.standard_error ? Json(*quality.standard_error) : Json()};
}

EpochQuality epoch_quality(const Json& kept)
{
    EpochQuality quality;
    quality.epoch = kept.at(0);
    // JSON has no number that is not finite.
    quality.objective = kept.at(1).is_null() ? std::nan("") : kept.at(1).get<double>();
    if (!kept.at(2).is_null()) {
        quality.ranking = kept.at(2).get<std::vector<double>>();
    }
    quality.recommended_unlinked = kept.at(3);
    quality.collapsed = kept.at(4);
    if (!kept.at(5).is_null()) {
        quality.standard_error = kept.at(5).get<double>();
    }
    return quality;
}

const EpochQuality& best_of(const AlxConfig& config, const std::vector<EpochQuality>& all)
{
    const EpochQuality* best = &all.back();
    if (best->ranking) {
        best = &*std::max_element(all.begin(), all.end(),
                                  [&config](const EpochQuality& a, const EpochQuality& b) {
                                      return a.judged(config) < b.judged(config);
                                  });
    }
    return *best;
}

TableQuality::TableQuality(const AlxConfig& config, const Dataset& data,
                           const SparseMatrix& by_column, const TrainingTables& tables,
                           HostPool& pool)
    : config_(config),
      data_(data),
      by_column_(by_column),
      tables_(tables),
      pool_(pool)
{
    for (std::int32_t row = 0; row < data.training.rows; ++row) {
        of_zeros_ += data.training.weight(row);
    }
}

double TableQuality::objective() const
{
    const TrainingLinks all{&data_.training, &by_column_, trained_rows(config_, data_),
                            tables_.columns.count()};
    return alx::objective(config_, all, tables_.rows.store(), tables_.columns.store(), pool_);
}

NormalEquations TableQuality::equations() const
{
    const bool plain = config_.semantics.evaluation_reg == EvaluationReg::plain;
    NormalEquations equations(config_, plain ? Regularizer::plain : Regularizer::scaled);
    equations.fix(tables_.column_gramian.matrix(), tables_.columns.count());
    return equations;
}

Recommendations TableQuality::recommend(const SparseMatrix& history) const
{
    return alx::recommend(config_, history, equations(), tables_.columns, pool_);
}

std::vector<double> TableQuality::areas() const
{
    return has_area(config_)
               ? areas_under_curve(config_, data_, equations(), tables_.columns, pool_)
               : std::vector<double>();
}

std::optional<std::vector<double>> TableQuality::popularity() const
{
    if (data_.test_rows.empty()) {
        return std::nullopt;
    }
    return ranking_means(config_.evaluation.metrics, data_,
                         recommend_popular(data_.history, by_column_, config_.evaluation.top_k),
                         has_area(config_) ? popularity_areas(data_, by_column_)
                                           : std::vector<double>());
}

EpochQuality TableQuality::after(int epoch) const
{
    EpochQuality quality{epoch, objective(), std::nullopt, 0};
    quality.collapsed = is_zero() || std::abs(quality.objective - of_zeros_) < no_more * of_zeros_;
    if (!data_.test_rows.empty()) {
        const Recommendations all = recommend();
        const std::vector<double> of_rows = areas();
        quality.ranking = ranking_means(config_.evaluation.metrics, data_, all, of_rows);
        quality.standard_error = standard_error(
            config_.evaluation.metrics[config_.evaluation.judged_by], data_, all, of_rows);
        quality.recommended_unlinked = unlinked_of(all);
    }
    return quality;
}

bool TableQuality::is_zero() const
{
    std::vector<double> numbers(static_cast<std::size_t>(config_.dim));
    for (std::int32_t column = 0; column < by_column_.rows; ++column) {
        if (by_column_.length(column) > 0) {
            tables_.columns.store().get(column, numbers.data());
            if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; })) {
                return false;
            }
        }
    }
    return data_.training.links() > 0;
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
