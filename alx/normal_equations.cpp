// SPDX-License-Identifier: Apache-2.0
#include "alx/normal_equations.h"

#include "alx/statistics.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Rows that are widened to f32 at a time; fits the host's caches up to d = 256.
constexpr std::int64_t block_rows = 64;

struct Scratch {
    FloatBuffer block;    ///< [block_rows x stride]
    FloatBuffer matrix;   ///< [stride x stride]
    FloatBuffer rhs;      ///< [stride]
    FloatBuffer solution; ///< [stride]
    FloatBuffer solver;
};

/// This thread's own, so that the hot loops allocate nothing.
Scratch& thread_scratch(int stride)
{
    thread_local Scratch scratch;
    const auto n = static_cast<std::size_t>(stride);
    if (scratch.rhs.size() != n) {
        // Zeros beyond dim must hold for every dim that this thread meets.
        scratch.block.assign(static_cast<std::size_t>(block_rows) * n, 0.0F);
        scratch.matrix.resize(n * n);
        scratch.rhs.resize(n);
        scratch.solution.resize(n);
    }
    return scratch;
}

/// Widens rows [begin, begin + count) of the gathered ones to f32, [count x stride].
void widen(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
           float* block)
{
    const int dim = rows.store->dim();
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t row = rows.ids ? rows.ids[begin + k] : rows.first + begin + k;
        float* values = block + k * stride;
        rows.store->get(row, values);
        std::fill(values + dim, values + stride, 0.0F);
    }
}

} // namespace

NormalEquations::NormalEquations(const AlxConfig& config)
    : config_(config),
      solver_(solvers().create(config.solver))
{
}

void NormalEquations::fix(const FloatBuffer& gramian, std::int64_t other_count)
{
    const auto alpha = static_cast<float>(config_.alpha);
    weighted_gramian_.resize(gramian.size());
    std::transform(gramian.begin(), gramian.end(), weighted_gramian_.begin(),
                   [alpha](float value) { return alpha * value; });
    other_count_ = static_cast<float>(other_count);
}

std::int64_t NormalEquations::solve(const GatheredRows& rows, float* solution) const
{
    const int dim = config_.dim;
    const int stride = padded(dim);
    Scratch& scratch = thread_scratch(stride);
    std::fill(scratch.matrix.begin(), scratch.matrix.end(), 0.0F);
    std::fill(scratch.rhs.begin(), scratch.rhs.end(), 0.0F);
    for (std::int64_t begin = 0; begin < rows.count; begin += block_rows) {
        const std::int64_t count = std::min(block_rows, rows.count - begin);
        widen(rows, begin, count, stride, scratch.block.data());
        add_outer_products(scratch.block.data(), count, stride, scratch.matrix.data());
        add_rows(scratch.block.data(), count, stride, scratch.rhs.data());
    }
    mirror_upper(scratch.matrix.data(), stride);
    for (std::size_t i = 0; i < scratch.matrix.size(); ++i) {
        scratch.matrix[i] += weighted_gramian_[i];
    }
    const float reg =
        static_cast<float>(config_.reg) *
        (static_cast<float>(rows.count) + static_cast<float>(config_.alpha) * other_count_);
    for (int i = 0; i < dim; ++i) {
        scratch.matrix[static_cast<std::size_t>(i * stride + i)] += reg;
    }
    const LinearSystem system{dim, stride, scratch.matrix.data(), scratch.rhs.data(),
                              scratch.solution.data()};
    const std::int64_t iterations = solver_->solve(system, config_, scratch.solver);
    std::copy_n(scratch.solution.begin(), dim, solution);
    return iterations;
}

void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, float* gramian)
{
    const int stride = padded(store.dim());
    Scratch& scratch = thread_scratch(stride);
    const GatheredRows rows{&store, nullptr, 0, store.rows()};
    for (std::int64_t row = begin; row < end; row += block_rows) {
        const std::int64_t count = std::min(block_rows, end - row);
        widen(rows, row, count, stride, scratch.block.data());
        add_outer_products(scratch.block.data(), count, stride, gramian);
    }
}

} // namespace alxsim::alx
