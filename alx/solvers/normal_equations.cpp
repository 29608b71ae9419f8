// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/normal_equations.h"

#include "alx/solvers/outer_products.h"
#include "alx/strategies/statistics.h"
#include "base/numbers/bf16.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace alxsim::alx {

/// Builds and solves the systems of single rows in the solver's dtype.
class RowSystems {
public:
    virtual ~RowSystems() = default;

    /// `gramian` is [dim x dim].
    virtual void fix(const std::vector<double>& gramian, std::int64_t other_count) = 0;
    /// As those of NormalEquations.
    virtual std::int64_t solve(const GatheredRows& rows, RowStore& target,
                               std::int64_t slot) const = 0;
    virtual std::array<std::int64_t, 2>
    solve_two(const std::array<GatheredRows, 2>& rows, RowStore& target,
              const std::array<std::int64_t, 2>& slots) const = 0;
    virtual std::int64_t add(const GatheredRows& rows, std::int64_t end,
                             std::unique_ptr<PartialStatistics>& carried, RowStore& target,
                             std::int64_t slot) const = 0;
    virtual bool solves_by_two() const = 0;
};

namespace {

using model::DType;

/// Rows that are widened at a time; fits the host's caches up to d = 256.
constexpr std::int64_t block_rows = 64;

/// What a sum of outer products is made in before it is rounded to the solver's dtype.
template <class Real>
struct AccumulatorOf {
    using Type = Real;
};
template <>
struct AccumulatorOf<spmd::Bf16Number> {
    using Type = float;
};

/// A matrix [stride x stride], of which the upper triangle counts, and a right-hand side [stride].
template <class Real>
struct Sums {
    spmd::Buffer<Real> matrix;
    spmd::Buffer<Real> rhs;

    explicit Sums(int stride)
        : matrix(static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride)),
          rhs(static_cast<std::size_t>(stride))
    {
    }
    void clear()
    {
        std::fill(matrix.begin(), matrix.end(), Real(0));
        std::fill(rhs.begin(), rhs.end(), Real(0));
    }
};

/// A row's statistics, as far as they are summed.
template <class Real>
struct RowStatistics : PartialStatistics {
    using Sum = typename AccumulatorOf<Real>::Type;

    explicit RowStatistics(int stride) : total(stride), open(stride) {}

    Sums<Real> total;
    Sums<Sum> open;        ///< the sum that is not added to the total yet, where a row has several
    std::int64_t done = 0; ///< links
};

template <class Real>
struct Scratch {
    using Sum = typename AccumulatorOf<Real>::Type;

    explicit Scratch(int stride)
        : statistics(stride),
          of_second(stride),
          block(static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(stride)),
          solution(static_cast<std::size_t>(stride)),
          second_solution(static_cast<std::size_t>(stride))
    {
    }

    RowStatistics<Real> statistics;
    RowStatistics<Real> of_second; ///< of two rows at once
    spmd::Buffer<Sum> block;       ///< [block_rows x stride]
    spmd::Buffer<Real> solution;   ///< [stride]
    spmd::Buffer<Real> second_solution;
    spmd::Buffer<Real> solver;
    spmd::FloatBuffer parts; ///< of the block, for products in passes
};

/// This thread's own, so that the hot loops allocate nothing.
template <class Real>
Scratch<Real>& thread_scratch(int stride)
{
    thread_local Scratch<Real> scratch(stride);
    if (scratch.solution.size() != static_cast<std::size_t>(stride)) {
        scratch = Scratch<Real>(stride);
    }
    return scratch;
}

/// Rows [begin, begin + count) of the gathered ones, [count x stride].
template <class Real>
void widen(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
           Real* block)
{
    const int dim = rows.store->dim();
    if (rows.ids) {
        rows.store->gather(rows.ids + begin, count, rows.count - begin, stride, block);
        return;
    }
    if (stride == dim) {
        rows.store->get_rows(rows.first + begin, count, block);
        return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        Real* values = block + k * stride;
        rows.store->get(rows.first + begin + k, values);
        std::fill(values + dim, values + stride, Real(0));
    }
}

/// A store in bf16 holds what one pass would round to, unless its rows are scaled.
int passes_for(const GatheredRows& rows, int passes)
{
    return rows.store->dtype() == DType::bf16 && rows.weights == nullptr ? exact_products : passes;
}

/// Scales rows [begin, begin + count), [count x stride], by the roots of their links' weights.
template <class Real>
void scale(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
           Real* block)
{
    for (std::int64_t k = 0; rows.weights != nullptr && k < count; ++k) {
        const Real root = std::sqrt(static_cast<Real>(rows.weights[begin + k]));
        for (int i = 0; i < stride; ++i) {
            block[k * stride + i] *= root;
        }
    }
}

/// If `fresh`, the matrix is taken to be zero.
void add_block(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
               int passes, bool fresh, float* block, spmd::FloatBuffer& parts, float* matrix)
{
    widen(rows, begin, count, stride, block);
    scale(rows, begin, count, stride, block);
    add_outer_products_in_passes(block, count, stride, passes_for(rows, passes), fresh, matrix,
                                 parts);
}

void add_block(const GatheredRows& rows, std::int64_t begin, std::int64_t count, int stride,
               int /*passes*/, bool fresh, double* block, spmd::FloatBuffer& /*parts*/,
               double* matrix)
{
    widen(rows, begin, count, stride, block);
    scale(rows, begin, count, stride, block);
    if (fresh) {
        std::fill_n(matrix, std::int64_t{stride} * stride, 0.0);
    }
    add_outer_products(block, count, stride, matrix);
}

/// Adds a sum to a row's total.
template <class Real>
void close(RowStatistics<Real>& statistics)
{
    const auto add = [](const auto& sum, auto& total) {
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] += static_cast<Real>(sum[i]);
        }
    };
    add(statistics.open.matrix, statistics.total.matrix);
    add(statistics.open.rhs, statistics.total.rhs);
    statistics.open.clear();
}

/// The sums of a row: each is made by itself, block by block, and then added to the total.
class SumEnds {
public:
    /// `links_per_sum` counts where the row is not in parts.
    SumEnds(const GatheredRows& rows, std::int64_t links_per_sum)
        : rows_(rows),
          links_per_sum_(std::min(links_per_sum, std::max<std::int64_t>(1, rows.count)))
    {
    }

    /// Where the sum ends that link `link` belongs to.
    std::int64_t after(std::int64_t link) const
    {
        const std::vector<std::int64_t>& ends = rows_.part_ends;
        return ends.empty() ? std::min(rows_.count, (link / links_per_sum_ + 1) * links_per_sum_)
                            : *std::upper_bound(ends.begin(), ends.end(), link);
    }

private:
    const GatheredRows& rows_;
    std::int64_t links_per_sum_;
};

void set_row(RowStore& target, std::int64_t slot, const spmd::Bf16Number* values)
{
    std::vector<float> row(static_cast<std::size_t>(target.dim()));
    std::transform(values, values + target.dim(), row.begin(),
                   [](spmd::Bf16Number value) { return static_cast<float>(value); });
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
          stride_(spmd::padded(config.dim))
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
        RowStatistics<Real>& statistics = thread_scratch<Real>(stride_).statistics;
        sum_up(rows, statistics);
        return solve_system(rows, statistics.total, target, slot);
    }

    std::array<std::int64_t, 2> solve_two(const std::array<GatheredRows, 2>& rows, RowStore& target,
                                          const std::array<std::int64_t, 2>& slots) const override
    {
        if constexpr (std::is_same_v<Real, float>) {
            Scratch<Real>& scratch = thread_scratch<Real>(stride_);
            sum_up(rows[0], scratch.statistics);
            sum_up(rows[1], scratch.of_second);
            const std::array<spmd::LinearSystem, 2> systems{
                system_of(rows[0], scratch.statistics.total, scratch.solution),
                system_of(rows[1], scratch.of_second.total, scratch.second_solution)};
            const auto iterations = solver_->solve_two(systems, config_, scratch.solver);
            set_row(target, slots[0], scratch.solution.data());
            set_row(target, slots[1], scratch.second_solution.data());
            return iterations;
        }
        return {solve(rows[0], target, slots[0]), solve(rows[1], target, slots[1])};
    }

    bool solves_by_two() const override { return solver_->solves_by_two(config_); }

    std::int64_t add(const GatheredRows& rows, std::int64_t end,
                     std::unique_ptr<PartialStatistics>& carried, RowStore& target,
                     std::int64_t slot) const override
    {
        if (!carried) {
            auto statistics = std::make_unique<RowStatistics<Real>>(stride_);
            begin(*statistics, rows);
            carried = std::move(statistics);
        }
        auto& statistics = static_cast<RowStatistics<Real>&>(*carried);
        add_links(rows, end, statistics);
        if (end < rows.count) {
            return 0;
        }
        const std::int64_t iterations = solve_system(rows, statistics.total, target, slot);
        carried.reset();
        return iterations;
    }

private:
    using Sum = typename AccumulatorOf<Real>::Type;

    /// In f32 and f64 a row that is not in parts has one sum, which is made in the total.
    bool has_several_sums(const GatheredRows& rows) const
    {
        return !std::is_same_v<Sum, Real> || !rows.part_ends.empty();
    }

    void begin(RowStatistics<Real>& statistics, const GatheredRows& rows) const
    {
        statistics.done = 0;
        if (has_several_sums(rows)) {
            statistics.total.clear();
            statistics.open.clear();
            return;
        }
        std::fill(statistics.total.rhs.begin(), statistics.total.rhs.end(), Real(0));
        if (rows.count == 0) { // else the first block sets it
            std::fill(statistics.total.matrix.begin(), statistics.total.matrix.end(), Real(0));
        }
    }

    /// All links of a row.
    void sum_up(const GatheredRows& rows, RowStatistics<Real>& statistics) const
    {
        begin(statistics, rows);
        add_links(rows, rows.count, statistics);
    }

    /// Adds the links up to `end`, sum by sum and block by block. A block that `end` cuts is left.
    void add_links(const GatheredRows& rows, std::int64_t end,
                   RowStatistics<Real>& statistics) const
    {
        const bool several = has_several_sums(rows);
        const SumEnds sums(rows, std::is_same_v<Sum, Real> ? rows.count : links_per_sum_);
        while (statistics.done < end) {
            const std::int64_t sum_end = sums.after(statistics.done);
            const std::int64_t block_end = std::min(statistics.done + block_rows, sum_end);
            if (block_end > end) {
                return;
            }
            add_links_of_block(rows, block_end, several, statistics);
            if (several && block_end == sum_end) {
                close(statistics);
            }
        }
    }

    void add_links_of_block(const GatheredRows& rows, std::int64_t end, bool several,
                            RowStatistics<Real>& statistics) const
    {
        Scratch<Real>& scratch = thread_scratch<Real>(stride_);
        const std::int64_t begin = statistics.done;
        // The solver's dtype holds the operands where that is bf16: one pass.
        const int passes = std::is_same_v<Sum, Real> ? config_.matmul_passes : 1;
        const auto add = [&](auto& matrix, auto& rhs) {
            add_block(rows, begin, end - begin, stride_, passes, !several && begin == 0,
                      scratch.block.data(), scratch.parts, matrix.data());
            scale(rows, begin, end - begin, stride_, scratch.block.data()); // to weight times row
            add_rows(scratch.block.data(), end - begin, stride_, rhs.data());
        };
        if constexpr (std::is_same_v<Sum, Real>) {
            Sums<Real>& sums = several ? statistics.open : statistics.total;
            add(sums.matrix, sums.rhs);
        } else {
            add(statistics.open.matrix, statistics.open.rhs);
        }
        statistics.done = end;
    }

    /// Completes the system of a row with these links.
    spmd::LinearSystemOf<Real> system_of(const GatheredRows& rows, Sums<Real>& sums,
                                         spmd::Buffer<Real>& solution) const
    {
        add_and_complete(weighted_gramian_.data(), stride_, solver_->reads(), sums.matrix.data());
        const Real reg = regularizer_of(rows.weight());
        for (int i = 0; i < config_.dim; ++i) {
            sums.matrix[static_cast<std::size_t>(i * stride_ + i)] += reg;
        }
        return {config_.dim, stride_, sums.matrix.data(), sums.rhs.data(), solution.data()};
    }

    std::int64_t solve_system(const GatheredRows& rows, Sums<Real>& sums, RowStore& target,
                              std::int64_t slot) const
    {
        Scratch<Real>& scratch = thread_scratch<Real>(stride_);
        const spmd::LinearSystemOf<Real> system = system_of(rows, sums, scratch.solution);
        const std::int64_t iterations = solver_->solve(system, config_, scratch.solver);
        set_row(target, slot, scratch.solution.data());
        return iterations;
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

    Real regularizer_of(double weight) const
    {
        const auto reg = static_cast<Real>(config_.reg);
        return regularizer_ == Regularizer::plain
                   ? reg
                   : static_cast<Real>(reg * (static_cast<Real>(weight) +
                                              static_cast<Real>(config_.alpha) * other_count_));
    }

    AlxConfig config_;
    std::int64_t links_per_sum_;
    Regularizer regularizer_;
    std::shared_ptr<const Solver> solver_;
    int stride_;
    spmd::Buffer<Real> weighted_gramian_;
    Real other_count_ = Real(0);
};

std::shared_ptr<RowSystems> make_systems(const AlxConfig& config, const BatchGeometry& geometry,
                                         Regularizer regularizer,
                                         const std::shared_ptr<const Solver>& solver)
{
    const std::int64_t of_batch =
        statistics_strategies().create(config.statistics)->links_per_sum(geometry);
    // A row that goes on in the next batch goes on with the sum that it is in.
    const std::int64_t links =
        of_batch < geometry.slots() ? of_batch : std::numeric_limits<std::int64_t>::max();
    switch (config.solve_dtype) {
    case DType::f64:
        return std::make_shared<RowSystemsOf<double>>(config, links, regularizer, solver);
    case DType::bf16:
        return std::make_shared<RowSystemsOf<spmd::Bf16Number>>(config, links, regularizer, solver);
    default:
        return std::make_shared<RowSystemsOf<float>>(config, links, regularizer, solver);
    }
}

template <class Real>
void add_rows_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                      Real* gramian)
{
    const int stride = spmd::padded(store.dim());
    const GatheredRows rows{&store, nullptr, 0, store.rows()};
    Scratch<Real>& scratch = thread_scratch<Real>(stride);
    for (std::int64_t row = begin; row < end; row += block_rows) {
        add_block(rows, row, std::min(block_rows, end - row), stride, passes, false,
                  scratch.block.data(), scratch.parts, gramian);
    }
}

} // namespace

double GatheredRows::weight() const
{
    return weights == nullptr ? static_cast<double>(count)
                              : std::accumulate(weights, weights + count, 0.0);
}

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

std::array<std::int64_t, 2>
NormalEquations::solve_two(const std::array<GatheredRows, 2>& rows, RowStore& target,
                           const std::array<std::int64_t, 2>& slots) const
{
    return systems_->solve_two(rows, target, slots);
}

bool NormalEquations::solves_by_two() const
{
    return systems_->solves_by_two();
}

std::int64_t NormalEquations::add(const GatheredRows& rows, std::int64_t end,
                                  std::unique_ptr<PartialStatistics>& carried, RowStore& target,
                                  std::int64_t slot) const
{
    return systems_->add(rows, end, carried, target, slot);
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
