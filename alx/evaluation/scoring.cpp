// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/scoring.h"

#include "alx/buffer.h"
#include "alx/kernels/kernels.h"
#include "base/units.h"

#include <numeric>
#include <vector>

namespace alxsim::alx {
namespace {

/// The rows as panels of the kernels' width, each [dim x width], f32.
class PanelScorer : public Scorer {
public:
    PanelScorer(const RowStore& store, std::int64_t first, std::int64_t count)
        : dim_(store.dim()),
          width_(kernels().panel_width),
          panels_(ceil_divide(count, width_)),
          values_(static_cast<std::size_t>(panels_ * dim_ * width_), 0.0F)
    {
        std::vector<float> row(static_cast<std::size_t>(dim_));
        for (std::int64_t i = 0; i < count; ++i) {
            store.get(first + i, row.data());
            float* target = values_.data() + (i / width_) * dim_ * width_ + i % width_;
            for (int j = 0; j < dim_; ++j) {
                target[j * width_] = row[static_cast<std::size_t>(j)];
            }
        }
        bf16_ = are_bf16(values_);
    }

    std::int64_t stride() const override { return panels_ * width_; }

    void score(const RowStore& queries, std::int64_t first, std::int64_t count,
               float* scores) const override
    {
        FloatBuffer values(static_cast<std::size_t>(queries_at_once * dim_), 0.0F);
        for (std::int64_t q = 0; q < count; ++q) {
            queries.get(first + q, values.data() + q * dim_);
        }
        const bool bf16 = bf16_ && are_bf16(values);
        for (std::int64_t panel = 0; panel < panels_; ++panel) {
            kernels().score_panel(values_.data() + panel * dim_ * width_, values.data(), dim_, bf16,
                                  stride(), scores + panel * width_);
        }
    }

private:
    static bool are_bf16(const FloatBuffer& numbers)
    {
        return kernels().are_bf16(numbers.data(), static_cast<std::int64_t>(numbers.size()));
    }

    int dim_;
    int width_;
    std::int64_t panels_;
    FloatBuffer values_;
    bool bf16_ = false;
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
        std::vector<double> query(static_cast<std::size_t>(store_.dim()));
        std::vector<double> row(query.size());
        for (std::int64_t q = 0; q < count; ++q) {
            queries.get(first + q, query.data());
            for (std::int64_t i = 0; i < count_; ++i) {
                store_.get(first_ + i, row.data());
                scores[q * count_ + i] = static_cast<float>(
                    std::inner_product(query.begin(), query.end(), row.begin(), 0.0));
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
