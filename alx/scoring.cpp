// SPDX-License-Identifier: Apache-2.0
#include "alx/scoring.h"

#include "alx/lanes.h"
#include "base/units.h"

#include <algorithm>
#include <vector>

namespace alxsim::alx {
namespace {

constexpr int queries_at_once = Scorer::queries_at_once;
constexpr int panel_width = 2 * lane_count;

/// The rows as panels of `panel_width`, each [dim x panel_width], f32.
class PanelScorer : public Scorer {
public:
    PanelScorer(const RowStore& store, std::int64_t first, std::int64_t count)
        : dim_(store.dim()),
          panels_(ceil_divide(count, panel_width)),
          values_(static_cast<std::size_t>(panels_ * dim_ * panel_width), 0.0F)
    {
        std::vector<float> row(static_cast<std::size_t>(dim_));
        for (std::int64_t i = 0; i < count; ++i) {
            store.get(first + i, row.data());
            float* target =
                values_.data() + (i / panel_width) * dim_ * panel_width + i % panel_width;
            for (int j = 0; j < dim_; ++j) {
                target[j * panel_width] = row[static_cast<std::size_t>(j)];
            }
        }
    }

    std::int64_t stride() const override { return panels_ * panel_width; }

    void score(const RowStore& queries, std::int64_t first, std::int64_t count,
               float* scores) const override
    {
        FloatBuffer values(static_cast<std::size_t>(queries_at_once * dim_), 0.0F);
        for (std::int64_t q = 0; q < count; ++q) {
            queries.get(first + q, values.data() + q * dim_);
        }
        for (std::int64_t panel = 0; panel < panels_; ++panel) {
            score_panel(values_.data() + panel * dim_ * panel_width, values.data(),
                        scores + panel * panel_width);
        }
    }

private:
    void score_panel(const float* panel, const float* queries, float* scores) const
    {
        constexpr int width = panel_width / lane_count;
        Lanes sums[queries_at_once][width] = {};
        for (int i = 0; i < dim_; ++i) {
            Lanes rows[width];
            for (int v = 0; v < width; ++v) {
                load(rows[v], panel + i * panel_width + v * lane_count);
            }
            for (int q = 0; q < queries_at_once; ++q) {
                for (int v = 0; v < width; ++v) {
                    sums[q][v] += rows[v] * queries[q * dim_ + i];
                }
            }
        }
        for (int q = 0; q < queries_at_once; ++q) {
            for (int v = 0; v < width; ++v) {
                store(scores + q * stride() + v * lane_count, sums[q][v]);
            }
        }
    }

    int dim_;
    std::int64_t panels_;
    FloatBuffer values_;
};

/// For validation: not tuned.
class DoubleScorer : public Scorer {
public:
    DoubleScorer(const RowStore& store, std::int64_t first, std::int64_t count)
        : store_(store),
          first_(first),
          count_(count)
    {
    }

    std::int64_t stride() const override { return count_; }

    void score(const RowStore& queries, std::int64_t first, std::int64_t count,
               float* scores) const override
    {
        const int dim = store_.dim();
        std::vector<double> query(static_cast<std::size_t>(dim));
        std::vector<double> row(query.size());
        for (std::int64_t q = 0; q < count; ++q) {
            queries.get(first + q, query.data());
            for (std::int64_t i = 0; i < count_; ++i) {
                store_.get(first_ + i, row.data());
                scores[q * count_ + i] =
                    static_cast<float>(dot<double>(query.data(), row.data(), dim));
            }
        }
    }

private:
    const RowStore& store_;
    std::int64_t first_;
    std::int64_t count_;
};

} // namespace

std::unique_ptr<const Scorer> make_scorer(const RowStore& store, std::int64_t first,
                                          std::int64_t count)
{
    if (store.dtype() == model::DType::f64) {
        return std::make_unique<DoubleScorer>(store, first, count);
    }
    return std::make_unique<PanelScorer>(store, first, count);
}

} // namespace alxsim::alx
