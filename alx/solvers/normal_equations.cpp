// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/normal_equations.h"

#include "alx/solvers/outer_products.h"
#include "alx/strategies/statistics.h"
#include "base/numbers/bf16.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {

/// Builds and solves the systems of single rows in the solver's dtype.
class RowSystems {
public:
    virtual ~RowSystems() = default;

    /// `gramian` is [dim x dim].
    virtual void fix(const std::vector<double>& gramian, std::int64_t other_count) = 0;
    /// Writes row `slot` of `target` and returns the solver's iterations.
    virtual std::int64_t solve(const GatheredRows& rows, RowStore& target,
                               std::int64_t slot) const = 0;
};

namespace {

using model::DType;

/// Rows that are widened at a time; fits the host's caches up to d = 256.
constexpr std::int64_t block_rows = 64;
/// Rows of a large table come from memory: so many are on their way.
constexpr std::int64_t rows_ahead = 8;

template <class Real>
struct Scratch {
    Buffer<Real> block;    ///< [block_rows x stride]
    Buffer<Real> matrix;   ///< [stride x stride]
    Buffer<Real> rhs;      ///< [stride]
    Buffer<Real> solution; ///< [stride]
    Buffer<Real> solver;
    FloatBuffer parts; ///< of the block, for products in passes
    /// [links_per_sum x stride], [stride x stride] and [stride]: bf16 only
    FloatBuffer summands;
};

/// This thread's own, so that the hot loops allocate nothing.
template <class Real>
Scratch<Real>& thread_scratch(int stride)
{
    thread_local Scratch<Real> scratch;
    const auto n = static_cast<std::size_t>(stride);
    if (scratch.rhs.size() != n) {
        // Zeros beyond dim must hold for every dim that this thread meets.
        scratch.block.assign(static_cast<std::size_t>(block_rows) * n, Real(0));
        scratch.matrix.resize(n * n);
        scratch.rhs.resize(n);
        scratch.solution.resize(n);
    }
    return scratch;
}

/// Rows [begin, begin + count) of the gathered ones, [count x stride].
template <class Real>
void widen(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
           Real* block)
{
    const int dim = rows.store->dim();
    if (!rows.ids && stride == dim) {
        rows.store->get_rows(rows.first + begin, count, block);
        return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        if (rows.ids && begin + k + rows_ahead < rows.count) {
            rows.store->prefetch(rows.ids[begin + k + rows_ahead]);
        }
        Real* values = block + k * stride;
        rows.store->get(rows.ids ? rows.ids[begin + k] : rows.first + begin + k, values);
        std::fill(values + dim, values + stride, Real(0));
    }
}

/// A store in bf16 holds what one pass would round to.
int passes_for(const RowStore& store, int passes)
{
    return store.dtype() == DType::bf16 ? exact_products : passes;
}

/// If `fresh`, the matrix is taken to be zero.
void add_block(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
               int passes, bool fresh, Scratch<float>& scratch, float* matrix)
{
    widen(rows, begin, count, stride, scratch.block.data());
    add_outer_products_in_passes(scratch.block.data(), count, stride,
                                 passes_for(*rows.store, passes), fresh, matrix, scratch.parts);
}

void add_block(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
               int /*passes*/, bool fresh, Scratch<double>& scratch, double* matrix)
{
    widen(rows, begin, count, stride, scratch.block.data());
    if (fresh) {
        std::fill_n(matrix, std::int64_t{stride} * stride, 0.0);
    }
    add_outer_products(scratch.block.data(), count, stride, matrix);
}

/// Upper triangle of sum h h^T, and sum h, into the scratch, whatever that holds. In f32 and f64
/// nothing is rounded on the way, however many links a sum has.
template <class Real>
void add_statistics(const GatheredRows& rows, const AlxConfig& config, int stride,
                    std::int64_t /*links_per_sum*/, Scratch<Real>& scratch)
{
    std::fill(scratch.rhs.begin(), scratch.rhs.end(), Real(0));
    if (rows.count == 0) {
        std::fill(scratch.matrix.begin(), scratch.matrix.end(), Real(0));
    }
    for (std::int64_t begin = 0; begin < rows.count; begin += block_rows) {
        const std::int64_t count = std::min(block_rows, rows.count - begin);
        add_block(rows, begin, count, stride, config.matmul_passes, begin == 0, scratch,
                  scratch.matrix.data());
        add_rows(scratch.block.data(), count, stride, scratch.rhs.data());
    }
}

/// Sum by sum: so many links in f32, rounded, and added in bf16.
void add_statistics(const GatheredRows& rows, const AlxConfig& /*config*/, int stride,
                    std::int64_t links_per_sum, Scratch<Bf16Number>& scratch)
{
    std::fill(scratch.matrix.begin(), scratch.matrix.end(), Bf16Number(0));
    std::fill(scratch.rhs.begin(), scratch.rhs.end(), Bf16Number(0));
    const auto n = static_cast<std::size_t>(stride);
    const std::int64_t links = std::min(links_per_sum, rows.count);
    const auto numbers = static_cast<std::size_t>(links) * n;
    for (std::int64_t begin = 0; begin < rows.count; begin += links) {
        scratch.summands.assign(numbers + n * n + n, 0.0F);
        const std::int64_t count = std::min(links, rows.count - begin);
        float* summands = scratch.summands.data();
        float* matrix = summands + numbers;
        float* sum = matrix + n * n;
        widen(rows, begin, count, stride, summands);
        // The solver's dtype holds the operands: one pass.
        add_outer_products_in_passes(summands, count, stride, 1, false, matrix, scratch.parts);
        add_rows(summands, count, stride, sum);
        for (std::size_t i = 0; i < n * n; ++i) {
            scratch.matrix[i] += static_cast<Bf16Number>(matrix[i]);
        }
        for (std::size_t i = 0; i < n; ++i) {
            scratch.rhs[i] += static_cast<Bf16Number>(sum[i]);
        }
    }
}

void set_row(RowStore& target, std::int64_t slot, const Bf16Number* values)
{
    std::vector<float> row(static_cast<std::size_t>(target.dim()));
    std::transform(values, values + target.dim(), row.begin(),
                   [](Bf16Number value) { return static_cast<float>(value); });
    target.set(slot, row.data());
}

template <class Real>
void set_row(RowStore& target, std::int64_t slot, const Real* values)
{
    target.set(slot, values);
}

template <class Real>
class RowSystemsOf : public RowSystems {
public:
    RowSystemsOf(const AlxConfig& config, std::int64_t links_per_sum, Regularizer regularizer,
                 std::shared_ptr<const Solver> solver)
        : config_(config),
          links_per_sum_(links_per_sum),
          regularizer_(regularizer),
          solver_(std::move(solver)),
          stride_(padded(config.dim))
    {
    }

    void fix(const std::vector<double>& gramian, std::int64_t other_count) override
    {
        const auto dim = static_cast<std::size_t>(config_.dim);
        const auto stride = static_cast<std::size_t>(stride_);
        weighted_gramian_.assign(stride * stride, Real(0));
        for (std::size_t i = 0; i < dim * dim; ++i) {
            weighted_gramian_[i / dim * stride + i % dim] = weighted(gramian[i]);
        }
        other_count_ = static_cast<Real>(other_count);
    }

    std::int64_t solve(const GatheredRows& rows, RowStore& target, std::int64_t slot) const override
    {
        Scratch<Real>& scratch = thread_scratch<Real>(stride_);
        if (rows.part_ends.empty()) {
            add_statistics(rows, config_, stride_, links_per_sum_, scratch);
        } else {
            add_parts(rows, scratch);
        }
        add_and_complete(weighted_gramian_.data(), stride_, solver_->reads(),
                         scratch.matrix.data());
        const Real reg = regularizer_of(rows.count);
        for (int i = 0; i < config_.dim; ++i) {
            scratch.matrix[static_cast<std::size_t>(i * stride_ + i)] += reg;
        }
        const LinearSystemOf<Real> system{config_.dim, stride_, scratch.matrix.data(),
                                          scratch.rhs.data(), scratch.solution.data()};
        const std::int64_t iterations = solver_->solve(system, config_, scratch.solver);
        set_row(target, slot, scratch.solution.data());
        return iterations;
    }

private:
    /// Statistics of each part by itself, in one sum, then added part after part.
    void add_parts(const GatheredRows& rows, Scratch<Real>& scratch) const
    {
        Buffer<Real> matrix(scratch.matrix.size(), Real(0));
        Buffer<Real> rhs(scratch.rhs.size(), Real(0));
        std::int64_t begin = 0;
        for (const std::int64_t end : rows.part_ends) {
            const std::int64_t count = end - begin;
            add_statistics(
                {rows.store, rows.ids ? rows.ids + begin : nullptr, rows.first + begin, count},
                config_, stride_, count, scratch);
            for (std::size_t i = 0; i < matrix.size(); ++i) {
                matrix[i] += scratch.matrix[i];
            }
            for (std::size_t i = 0; i < rhs.size(); ++i) {
                rhs[i] += scratch.rhs[i];
            }
            begin = end;
        }
        std::copy(matrix.begin(), matrix.end(), scratch.matrix.begin());
        std::copy(rhs.begin(), rhs.end(), scratch.rhs.begin());
    }

    /// The Gramian's dtype decides what alpha, a weakly typed number, is rounded to.
    Real weighted(double value) const
    {
        if (config_.gramian_in_bf16()) {
            const float alpha = to_float(to_bf16(static_cast<float>(config_.alpha)));
            return static_cast<Real>(to_float(to_bf16(alpha * static_cast<float>(value))));
        }
        if (config_.table_dtype != DType::f64) {
            return static_cast<Real>(static_cast<float>(config_.alpha) * static_cast<float>(value));
        }
        return static_cast<Real>(config_.alpha * value);
    }

    Real regularizer_of(std::int64_t length) const
    {
        const auto reg = static_cast<Real>(config_.reg);
        return regularizer_ == Regularizer::plain
                   ? reg
                   : static_cast<Real>(reg * (static_cast<Real>(length) +
                                              static_cast<Real>(config_.alpha) * other_count_));
    }

    AlxConfig config_;
    std::int64_t links_per_sum_;
    Regularizer regularizer_;
    std::shared_ptr<const Solver> solver_;
    int stride_;
    Buffer<Real> weighted_gramian_;
    Real other_count_ = Real(0);
};

std::shared_ptr<RowSystems> make_systems(const AlxConfig& config, const BatchGeometry& geometry,
                                         Regularizer regularizer,
                                         const std::shared_ptr<const Solver>& solver)
{
    const std::int64_t links =
        statistics_strategies().create(config.statistics)->links_per_sum(geometry);
    switch (config.solve_dtype) {
    case DType::f64:
        return std::make_shared<RowSystemsOf<double>>(config, links, regularizer, solver);
    case DType::bf16:
        return std::make_shared<RowSystemsOf<Bf16Number>>(config, links, regularizer, solver);
    default:
        return std::make_shared<RowSystemsOf<float>>(config, links, regularizer, solver);
    }
}

template <class Real>
void add_rows_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                      Real* gramian)
{
    const int stride = padded(store.dim());
    const GatheredRows rows{&store, nullptr, 0, store.rows()};
    for (std::int64_t row = begin; row < end; row += block_rows) {
        add_block(rows, row, std::min(block_rows, end - row), stride, passes, false,
                  thread_scratch<Real>(stride), gramian);
    }
}

} // namespace

NormalEquations::NormalEquations(const AlxConfig& config, Regularizer regularizer)
    : NormalEquations(config, config.batch, regularizer)
{
}

NormalEquations::NormalEquations(const AlxConfig& config, const BatchGeometry& geometry,
                                 Regularizer regularizer)
    : solver_(solvers().create(config.solver)),
      systems_(make_systems(config, geometry, regularizer, solver_))
{
}

void NormalEquations::fix(const std::vector<double>& gramian, std::int64_t other_count)
{
    systems_->fix(gramian, other_count);
}

std::int64_t NormalEquations::solve(const GatheredRows& rows, RowStore& target,
                                    std::int64_t slot) const
{
    return systems_->solve(rows, target, slot);
}

void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                 float* gramian)
{
    add_rows_gramian(store, begin, end, passes, gramian);
}

void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                 double* gramian)
{
    add_rows_gramian(store, begin, end, passes, gramian);
}

} // namespace alxsim::alx
