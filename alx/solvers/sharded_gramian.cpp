// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/sharded_gramian.h"

#include "alx/solvers/normal_equations.h"
#include "base/numbers/bf16.h"
#include "base/units.h"
#include "spmd/collectives/hop_sum.h"
#include "spmd/sums_in_order.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

/// Part of the result's definition.
constexpr std::int64_t chunk_rows = 1024;

} // namespace

/// The matrix, and how it is summed.
class ShardedGramian::Sum {
public:
    explicit Sum(const FactorTable& table)
        : matrix(static_cast<std::size_t>(table.dim()) * static_cast<std::size_t>(table.dim()))
    {
    }
    virtual ~Sum() = default;

    virtual void compute(HostPool& pool) = 0;

    std::vector<double> matrix;
};

namespace {

/// Products and their sums in `Real`; `Result` is what the whole sum is rounded to.
template <class Real, class Result>
class SumOf : public ShardedGramian::Sum {
public:
    SumOf(const AlxConfig& config, const FactorTable& table)
        : Sum(table),
          table_(table),
          passes_(config.matmul_passes),
          in_bf16_(config.gramian_in_bf16()),
          chunks_(ceil_divide(table.shard_rows(), chunk_rows)),
          stride_(static_cast<std::size_t>(spmd::padded(table.dim()))),
          shard_(stride_ * stride_),
          sum_(stride_ * stride_),
          hop_sum_(config.gramian_sum),
          of_devices_(hop_sum_ ? static_cast<std::size_t>(table.shards()) : 0,
                      std::vector<Bf16>(matrix.size()))
    {
    }

    void compute(HostPool& pool) override
    {
        std::fill(shard_.begin(), shard_.end(), Real(0));
        std::fill(sum_.begin(), sum_.end(), Real(0));
        spmd::sum_in_order<Real>(
            pool, table_.shards() * chunks_, sum_.size(),
            [this](std::int64_t part, Real* gramian) {
                const std::int64_t first = part % chunks_ * chunk_rows;
                add_rows(static_cast<int>(part / chunks_), first,
                         std::min(first + chunk_rows, table_.shard_rows()), gramian);
            },
            [this](std::int64_t part, const Real* gramian, std::size_t begin, std::size_t end) {
                add_part(gramian, begin, end);
                if (part % chunks_ + 1 == chunks_) {
                    finish_shard(static_cast<std::size_t>(part / chunks_), begin, end);
                }
            });
        hop_sum_ ? take_hop_sum() : take_sum();
    }

private:
    /// Rows [first, last) of a shard, by ascending id.
    void add_rows(int shard, std::int64_t first, std::int64_t last, Real* gramian) const
    {
        if (table_.map().is_contiguous()) {
            const std::int64_t shard_begin = shard * table_.shard_rows();
            add_gramian(table_.store(), shard_begin + first, shard_begin + last, passes_, gramian);
            return;
        }
        RowStore rows(last - first, table_.dim(), table_.store().dtype());
        for (std::int64_t slot = 0; slot < rows.rows(); ++slot) {
            rows.copy(slot, table_.store(), table_.map().row_at(shard, first + slot));
        }
        add_gramian(rows, 0, rows.rows(), passes_, gramian);
    }

    void add_part(const Real* part, std::size_t begin, std::size_t end)
    {
        for (std::size_t i = begin; i < end; ++i) {
            shard_[i] += part[i];
        }
    }

    /// Its sum goes to that of all, or is kept until they meet on their way.
    void finish_shard(std::size_t shard, std::size_t begin, std::size_t end)
    {
        for (std::size_t i = begin; i < end; ++i) {
            const Real number = std::exchange(shard_[i], Real(0));
            if (hop_sum_) {
                keep(of_devices_[shard], i, to_bf16(static_cast<float>(number)));
            } else {
                sum_[i] += rounded(number);
            }
        }
    }

    /// Element i of the upper triangle, on both sides of the diagonal.
    void keep(std::vector<Bf16>& square, std::size_t i, Bf16 number) const
    {
        const auto dim = static_cast<std::size_t>(table_.dim());
        const std::size_t row = i / stride_;
        const std::size_t column = i % stride_;
        if (row <= column && column < dim) {
            square[row * dim + column] = square[column * dim + row] = number;
        }
    }

    Real rounded(Real value) const
    {
        return in_bf16_ ? static_cast<Real>(to_float(to_bf16(static_cast<float>(value)))) : value;
    }

    /// The upper triangle, on both sides of the diagonal.
    void take_sum()
    {
        const auto dim = static_cast<std::size_t>(table_.dim());
        for (std::size_t i = 0; i < dim; ++i) {
            for (std::size_t j = i; j < dim; ++j) {
                matrix[i * dim + j] = matrix[j * dim + i] =
                    static_cast<Result>(rounded(sum_[i * stride_ + j]));
            }
        }
    }

    /// Not symmetric to the last bit: an element and its mirror image travel different ways.
    void take_hop_sum()
    {
        const std::vector<Bf16> sum = (*hop_sum_)(of_devices_);
        std::transform(sum.begin(), sum.end(), matrix.begin(),
                       [](Bf16 number) { return static_cast<double>(to_float(number)); });
    }

    const FactorTable& table_;
    int passes_;
    bool in_bf16_;
    std::int64_t chunks_; ///< of a shard
    std::size_t stride_;
    spmd::Buffer<Real> shard_; ///< [stride x stride]: of the chunks of a shard so far
    spmd::Buffer<Real> sum_;   ///< [stride x stride]: of the shards so far
    std::shared_ptr<const spmd::HopSum> hop_sum_;
    spmd::HopSum::Arrays of_devices_; ///< [dim x dim] each, if they meet on their way
};

} // namespace

ShardedGramian::ShardedGramian(const AlxConfig& config, const FactorTable& table)
{
    const bool exact =
        config.table_dtype == model::DType::bf16 || config.matmul_passes == exact_products;
    if (config.table_dtype == model::DType::f64) {
        sum_ = std::make_unique<SumOf<double, double>>(config, table);
    } else if (config.semantics.gramian_dtype == GramianDType::f32 && exact) {
        sum_ = std::make_unique<SumOf<double, float>>(config, table);
    } else {
        sum_ = std::make_unique<SumOf<float, float>>(config, table);
    }
}

ShardedGramian::~ShardedGramian() = default;

void ShardedGramian::compute(HostPool& pool)
{
    sum_->compute(pool);
}

const std::vector<double>& ShardedGramian::matrix() const
{
    return sum_->matrix;
}

} // namespace alxsim::alx
