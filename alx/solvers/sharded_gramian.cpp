// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/sharded_gramian.h"

#include "alx/bf16.h"
#include "alx/solvers/normal_equations.h"
#include "base/units.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Part of the result's definition.
constexpr std::int64_t chunk_rows = 1024;

} // namespace

class ShardedGramian::Parts {
public:
    Parts(const AlxConfig& config, const FactorTable& table)
        : devices(table.devices()),
          chunks(ceil_divide(table.shard_rows(), chunk_rows)),
          matrix(static_cast<std::size_t>(table.dim()) * static_cast<std::size_t>(table.dim())),
          table_(table),
          passes_(config.matmul_passes),
          in_bf16_(config.gramian_in_bf16())
    {
    }
    virtual ~Parts() = default;

    virtual void add_chunks(int device, std::int64_t begin, std::int64_t end) = 0;
    virtual void combine() = 0;

    int devices;
    std::int64_t chunks; ///< of a shard
    std::vector<double> matrix;

protected:
    const FactorTable& table_;
    int passes_;
    bool in_bf16_;
};

namespace {

/// Products and their sums in `Real`; `Result` is what the whole sum is rounded to.
template <class Real, class Result>
class PartsOf : public ShardedGramian::Parts {
public:
    PartsOf(const AlxConfig& config, const FactorTable& table)
        : Parts(config, table),
          stride_(static_cast<std::size_t>(padded(table.dim()))),
          parts_(static_cast<std::size_t>(devices * chunks) * stride_ * stride_)
    {
    }

    void add_chunks(int device, std::int64_t begin, std::int64_t end) override
    {
        for (std::int64_t chunk = begin; chunk < end; ++chunk) {
            std::fill_n(part(device, chunk), stride_ * stride_, Real(0));
            const std::int64_t first = chunk * chunk_rows;
            add_rows(device, first, std::min(first + chunk_rows, table_.shard_rows()),
                     part(device, chunk));
        }
    }

    void combine() override
    {
        const auto dim = static_cast<std::size_t>(table_.dim());
        for (std::size_t i = 0; i < dim; ++i) {
            for (std::size_t j = i; j < dim; ++j) {
                matrix[i * dim + j] = matrix[j * dim + i] = sum_of(i * stride_ + j);
            }
        }
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

    Real* part(int device, std::int64_t chunk)
    {
        return parts_.data() +
               static_cast<std::size_t>(device * chunks + chunk) * stride_ * stride_;
    }
    Real rounded(Real value) const
    {
        return in_bf16_ ? static_cast<Real>(to_float(to_bf16(static_cast<float>(value)))) : value;
    }
    Result sum_of(std::size_t at)
    {
        Real sum(0);
        for (int device = 0; device < devices; ++device) {
            Real shard(0);
            for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
                shard += part(device, chunk)[at];
            }
            sum += rounded(shard);
        }
        return static_cast<Result>(rounded(sum));
    }

    std::size_t stride_;
    Buffer<Real> parts_; ///< [devices x chunks x stride x stride]
};

} // namespace

ShardedGramian::ShardedGramian(const AlxConfig& config, const FactorTable& table)
{
    const bool exact =
        config.table_dtype == model::DType::bf16 || config.matmul_passes == exact_products;
    if (config.table_dtype == model::DType::f64) {
        parts_ = std::make_unique<PartsOf<double, double>>(config, table);
    } else if (config.semantics.gramian_dtype == GramianDType::f32 && exact) {
        parts_ = std::make_unique<PartsOf<double, float>>(config, table);
    } else {
        parts_ = std::make_unique<PartsOf<float, float>>(config, table);
    }
}

ShardedGramian::~ShardedGramian() = default;

std::shared_ptr<const model::Effect> ShardedGramian::partial_effect(const DeviceMesh& mesh)
{
    constexpr int nothing = -1;
    const auto shard_of = [coordinates = mesh.coordinates](int device) {
        const DeviceMesh::Coordinates& at = coordinates[static_cast<std::size_t>(device)];
        return at.embedding_shard == 0 && at.replica == 0 ? at.row_shard : nothing;
    };
    auto effect = std::make_shared<model::Effect>();
    effect->items = [parts = parts_.get(), shard_of](int device) {
        return shard_of(device) == nothing ? std::int64_t{0} : parts->chunks;
    };
    effect->run = [parts = parts_.get(), shard_of](int device, std::int64_t begin,
                                                   std::int64_t end) {
        parts->add_chunks(shard_of(device), begin, end);
    };
    return effect;
}

std::shared_ptr<const model::Effect> ShardedGramian::combine_effect()
{
    auto effect = std::make_shared<model::Effect>();
    effect->run = [parts = parts_.get()](int, std::int64_t, std::int64_t) { parts->combine(); };
    effect->once_for_group = true;
    return effect;
}

void ShardedGramian::compute(HostPool& pool)
{
    pool.for_chunks(
        parts_->devices * parts_->chunks, 1, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t chunk = i % parts_->chunks;
                parts_->add_chunks(static_cast<int>(i / parts_->chunks), chunk, chunk + 1);
            }
        });
    parts_->combine();
}

const std::vector<double>& ShardedGramian::matrix() const
{
    return parts_->matrix;
}

} // namespace alxsim::alx
