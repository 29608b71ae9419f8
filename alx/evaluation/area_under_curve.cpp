// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/area_under_curve.h"

#include "alx/evaluation/folded_rows.h"
#include "alx/evaluation/scoring.h"
#include "base/numbers/bf16.h"
#include "spmd/buffer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

namespace alxsim::alx {
namespace {

/// Test rows whose scores are made together.
constexpr std::int64_t rows_of_chunk = 32;

/// What a test row's columns are to it.
struct Judgement {
    std::vector<std::int32_t> relevant; ///< truth that is not history
    std::vector<std::int32_t> no_other; ///< truth and history, ascending

    Judgement(const Dataset& data, std::int32_t row, std::int64_t columns)
    {
        const std::vector<std::int32_t> truth = data.ground_truth.ids(row);
        const std::vector<std::int32_t> history = data.history.ids(row);
        std::set_difference(truth.begin(), truth.end(), history.begin(), history.end(),
                            std::back_inserter(relevant));
        while (!relevant.empty() && relevant.back() >= columns) {
            relevant.pop_back();
        }
        std::set_union(truth.begin(), truth.end(), history.begin(), history.end(),
                       std::back_inserter(no_other));
    }
    bool is_other(std::int32_t column) const
    {
        return !std::binary_search(no_other.begin(), no_other.end(), column);
    }
};

/// The scores of some test rows, block by block.
class RowScores {
public:
    RowScores(const AlxConfig& config, const RowStore& queries, const RowStore& columns)
        : in_bf16_(config.semantics.score_dtype == ScoreDType::bf16),
          columns_(columns),
          scorer_(make_scorer(queries)),
          scores_(static_cast<std::size_t>(scorer_->panel_width() * Scorer::block_rows))
    {
    }

    /// Returns the scores of one row and these columns.
    std::vector<float> of(std::int64_t row, const std::vector<std::int32_t>& places)
    {
        std::vector<float> found;
        const auto all = static_cast<std::int64_t>(places.size());
        for (std::int64_t first = 0; first < all; first += Scorer::block_rows) {
            const std::int64_t count = std::min(Scorer::block_rows, all - first);
            scorer_->take_block(columns_, 0, places.data() + first, count);
            scorer_->score(row / width(), 0, count, scores_.data());
            for (std::int64_t i = 0; i < count; ++i) {
                found.push_back(score(i, row % width()));
            }
        }
        return found;
    }

    /// Calls take(row, column, score) for all rows and the first `count` columns.
    template <class Take>
    void each(std::int64_t rows, std::int64_t count, const Take& take)
    {
        for (std::int64_t first = 0; first < count; first += Scorer::block_rows) {
            const std::int64_t block = std::min(Scorer::block_rows, count - first);
            scorer_->take_block(columns_, first, block);
            for (std::int64_t panel = 0; panel < scorer_->panels(); ++panel) {
                scorer_->score(panel, 0, block, scores_.data());
                const std::int64_t begin = panel * width();
                for (std::int64_t row = begin; row < std::min(rows, begin + width()); ++row) {
                    for (std::int64_t i = 0; i < block; ++i) {
                        take(row, static_cast<std::int32_t>(first + i), score(i, row - begin));
                    }
                }
            }
        }
    }

private:
    std::int64_t width() const { return scorer_->panel_width(); }
    float score(std::int64_t column, std::int64_t query) const
    {
        const float value = scores_[static_cast<std::size_t>(column * width() + query)];
        return in_bf16_ ? to_float(to_bf16(value)) : value;
    }

    bool in_bf16_;
    const RowStore& columns_;
    std::unique_ptr<Scorer> scorer_;
    spmd::FloatBuffer scores_; ///< [block_rows x panel_width]
};

} // namespace

AreaUnderCurve::AreaUnderCurve(std::vector<float> relevant)
    : relevant_(std::move(relevant)),
      relevant_count_(static_cast<std::int64_t>(relevant_.size()))
{
    const auto is_no_number = [](float score) { return std::isnan(score); };
    relevant_.erase(std::remove_if(relevant_.begin(), relevant_.end(), is_no_number),
                    relevant_.end());
    std::sort(relevant_.begin(), relevant_.end());
}

void AreaUnderCurve::add(float score)
{
    ++others_;
    if (std::isnan(score)) {
        half_pairs_ += 2 * static_cast<std::int64_t>(relevant_.size());
        return;
    }
    const auto [equal, above] = std::equal_range(relevant_.begin(), relevant_.end(), score);
    half_pairs_ += (above - equal) + 2 * (relevant_.end() - above);
}

double AreaUnderCurve::area() const
{
    const std::int64_t pairs = others_ * relevant_count_;
    return pairs == 0 ? 0 : static_cast<double>(half_pairs_) / (2 * static_cast<double>(pairs));
}

std::vector<double> areas_under_curve(const AlxConfig& config, const Dataset& data,
                                      const NormalEquations& equations, const FactorTable& columns,
                                      HostPool& pool)
{
    std::vector<double> areas(static_cast<std::size_t>(data.history.rows));
    pool.for_chunks(data.history.rows, rows_of_chunk, [&](std::int64_t begin, std::int64_t end) {
        const RowStore queries = folded_in(config, data.history, begin, end, equations, columns);
        RowScores scores(config, queries, columns.store());
        std::vector<Judgement> judgements;
        std::vector<AreaUnderCurve> curves;
        for (std::int64_t row = begin; row < end; ++row) {
            judgements.emplace_back(data, static_cast<std::int32_t>(row), columns.count());
            curves.emplace_back(scores.of(row - begin, judgements.back().relevant));
        }
        scores.each(end - begin, columns.count(),
                    [&](std::int64_t row, std::int32_t column, float score) {
                        const auto place = static_cast<std::size_t>(row);
                        if (judgements[place].is_other(column)) {
                            curves[place].add(score);
                        }
                    });
        std::transform(curves.begin(), curves.end(), areas.begin() + begin,
                       [](const AreaUnderCurve& curve) { return curve.area(); });
    });
    return areas;
}

std::vector<double> popularity_areas(const Dataset& data, const SparseMatrix& training_by_column)
{
    std::vector<float> links;
    for (std::int32_t column = 0; column < training_by_column.rows; ++column) {
        links.push_back(static_cast<float>(training_by_column.length(column)));
    }
    std::vector<double> areas;
    for (std::int32_t row = 0; row < data.history.rows; ++row) {
        const Judgement judgement(data, row, training_by_column.rows);
        std::vector<float> relevant;
        for (const std::int32_t column : judgement.relevant) {
            relevant.push_back(links[static_cast<std::size_t>(column)]);
        }
        AreaUnderCurve curve(std::move(relevant));
        for (std::int32_t column = 0; column < training_by_column.rows; ++column) {
            if (judgement.is_other(column)) {
                curve.add(links[static_cast<std::size_t>(column)]);
            }
        }
        areas.push_back(curve.area());
    }
    return areas;
}

} // namespace alxsim::alx
