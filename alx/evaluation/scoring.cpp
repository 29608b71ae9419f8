// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/scoring.h"

#include "base/units.h"
#include "spmd/buffer.h"
#include "spmd/kernels/kernels.h"

namespace alxsim::alx {
namespace {

bool are_bf16(const float* numbers, std::int64_t count)
{
    return spmd::kernels().are_bf16(numbers, count);
}

void score_rows(const float* rows, std::int64_t count, const float* panel, int dim, bool bf16,
                float* scores)
{
    spmd::kernels().score_rows(rows, count, panel, dim, bf16, scores);
}

bool are_bf16(const double* /*numbers*/, std::int64_t /*count*/)
{
    return false;
}

/// For validation: not tuned.
void score_rows(const double* rows, std::int64_t count, const double* panel, int dim, bool /*bf16*/,
                float* scores)
{
    const int width = spmd::kernels().panel_width;
    for (std::int64_t row = 0; row < count; ++row) {
        for (int query = 0; query < width; ++query) {
            double sum = 0;
            for (int i = 0; i < dim; ++i) {
                sum += panel[i * width + query] * rows[row * dim + i];
            }
            scores[row * width + query] = static_cast<float>(sum);
        }
    }
}

template <class Real>
class PanelScorer : public Scorer {
public:
    explicit PanelScorer(const RowStore& queries)
        : dim_(queries.dim()),
          width_(spmd::kernels().panel_width),
          panels_(ceil_divide(queries.rows(), width_)),
          values_(static_cast<std::size_t>(panels_ * dim_ * width_), Real(0)),
          block_(static_cast<std::size_t>(block_rows * dim_))
    {
        for (std::int64_t q = 0; q < queries.rows(); ++q) {
            queries.get(q, block_.data());
            Real* target = values_.data() + q / width_ * dim_ * width_ + q % width_;
            for (int i = 0; i < dim_; ++i) {
                target[i * width_] = block_[static_cast<std::size_t>(i)];
            }
        }
        queries_are_bf16_ = are_bf16(values_.data(), static_cast<std::int64_t>(values_.size()));
    }

    void take_block(const RowStore& table, std::int64_t first, std::int64_t count) override
    {
        table.get_rows(first, count, block_.data());
        look_at_block(count);
    }

    void take_block(const RowStore& table, std::int64_t first, const std::int32_t* places,
                    std::int64_t count) override
    {
        for (std::int64_t i = 0; i < count; ++i) { // all are on their way from memory at once
            table.prefetch(static_cast<std::int32_t>(first) + places[i]);
        }
        for (std::int64_t i = 0; i < count; ++i) {
            table.get(first + places[i], block_.data() + i * dim_);
        }
        look_at_block(count);
    }

    void score(std::int64_t panel, std::int64_t first, std::int64_t count,
               float* scores) const override
    {
        score_rows(block_.data() + first * dim_, count, values_.data() + panel * dim_ * width_,
                   dim_, bf16_, scores);
    }

    std::int64_t panels() const override { return panels_; }
    std::int64_t panel_width() const override { return width_; }
    int dim() const override { return dim_; }

private:
    void look_at_block(std::int64_t count)
    {
        bf16_ = queries_are_bf16_ && are_bf16(block_.data(), count * dim_);
    }

    int dim_;
    int width_;
    std::int64_t panels_;
    spmd::Buffer<Real> values_; ///< [panels x dim x width]
    bool queries_are_bf16_ = false;
    spmd::Buffer<Real> block_; ///< [rows x dim]
    bool bf16_ = false;
};

} // namespace

std::unique_ptr<Scorer> make_scorer(const RowStore& queries)
{
    if (queries.dtype() == model::DType::f64) {
        return std::make_unique<PanelScorer<double>>(queries);
    }
    return std::make_unique<PanelScorer<float>>(queries);
}

} // namespace alxsim::alx
