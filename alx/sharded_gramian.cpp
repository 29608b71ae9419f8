// SPDX-License-Identifier: Apache-2.0
#include "alx/sharded_gramian.h"

#include "alx/normal_equations.h"
#include "alx/statistics.h"
#include "base/units.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Part of the result's definition.
constexpr std::int64_t chunk_rows = 1024;

} // namespace

ShardedGramian::ShardedGramian(const FactorTable& table)
    : table_(table),
      chunks_(ceil_divide(table.shard_rows(), chunk_rows)),
      size_(static_cast<std::size_t>(padded(table.dim())) *
            static_cast<std::size_t>(padded(table.dim()))),
      parts_(static_cast<std::size_t>(table.devices() * chunks_) * size_),
      matrix_(size_)
{
}

float* ShardedGramian::part(int device, std::int64_t chunk)
{
    return parts_.data() + static_cast<std::size_t>(device * chunks_ + chunk) * size_;
}

void ShardedGramian::add_chunks(int device, std::int64_t begin, std::int64_t end)
{
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
        std::fill_n(part(device, chunk), size_, 0.0F);
        const std::int64_t first = chunk * chunk_rows;
        const std::int64_t last = std::min(first + chunk_rows, table_.shard_rows());
        const std::int64_t shard = device * table_.shard_rows();
        add_gramian(table_.store(), shard + first, shard + last, part(device, chunk));
    }
}

void ShardedGramian::combine()
{
    std::fill(matrix_.begin(), matrix_.end(), 0.0F);
    FloatBuffer shard(size_);
    for (int device = 0; device < table_.devices(); ++device) {
        std::fill(shard.begin(), shard.end(), 0.0F);
        for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
            const float* values = part(device, chunk);
            for (std::size_t i = 0; i < size_; ++i) {
                shard[i] += values[i];
            }
        }
        for (std::size_t i = 0; i < size_; ++i) {
            matrix_[i] += shard[i];
        }
    }
    mirror_upper(matrix_.data(), padded(table_.dim()));
}

std::shared_ptr<const model::Effect> ShardedGramian::partial_effect()
{
    auto effect = std::make_shared<model::Effect>();
    effect->items = [this](int) { return chunks_; };
    effect->run = [this](int device, std::int64_t begin, std::int64_t end) {
        add_chunks(device, begin, end);
    };
    return effect;
}

std::shared_ptr<const model::Effect> ShardedGramian::combine_effect()
{
    auto effect = std::make_shared<model::Effect>();
    effect->run = [this](int, std::int64_t, std::int64_t) { combine(); };
    effect->once_for_group = true;
    return effect;
}

void ShardedGramian::compute(HostPool& pool)
{
    pool.for_chunks(table_.devices() * chunks_, 1, [this](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t chunk = i % chunks_;
            add_chunks(static_cast<int>(i / chunks_), chunk, chunk + 1);
        }
    });
    combine();
}

std::vector<float> ShardedGramian::to_floats() const
{
    const int dim = table_.dim();
    const int stride = padded(dim);
    std::vector<float> values;
    for (int i = 0; i < dim; ++i) {
        const auto row = matrix_.begin() + i * stride;
        values.insert(values.end(), row, row + dim);
    }
    return values;
}

} // namespace alxsim::alx
