// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/solvers/solver.h"
#include "alx/tables/row_store.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace alxsim::alx {

/// Rows of a store, either [first, first + count) or those named by `ids` [count].
struct GatheredRows {
    const RowStore* store = nullptr;
    const std::int32_t* ids = nullptr;
    std::int64_t first = 0;
    std::int64_t count = 0;
    /// Where the parts end whose sums are made by themselves, and then added; else empty.
    std::vector<std::int64_t> part_ends = {};
    const float* weights = nullptr; ///< of links to them, [count]; null: all are 1

    /// Returns the weight of all links.
    double weight() const;
};

/// The regularizer of a system.
enum class Regularizer {
    scaled, ///< reg (len + alpha other_count)
    plain   ///< reg
};

class RowSystems;

/// Statistics of a row whose links stand in several batches, as far as they are summed up.
class PartialStatistics {
public:
    virtual ~PartialStatistics() = default;
};

/// Solves for one row of a table while the other is fixed (als.py, `project`):
///     (sum c h h^T + alpha G + reg (sum c + alpha other_count) I) w = sum c h
/// with the sums over the fixed table's rows h that the row links to, c the weights of these links,
/// 1 unless they are given (each h is then scaled by root c in f32, and enters products so), G the
/// fixed table's Gramian and other_count its number of rows (phantom rows not counted). All in the
/// solver's dtype, the sums in the order of the links: a row's solution depends on nothing but its
/// links, the fixed rows and G. In bf16 the sums are rounded where the statistics strategy writes
/// them, see StatisticsStrategy::links_per_sum(), and so is every addition of such sums (as a
/// segment sum of bf16 arrays is).
class NormalEquations {
public:
    /// Throws InputError for an unknown solver or statistics strategy.
    explicit NormalEquations(const AlxConfig& config,
                             Regularizer regularizer = Regularizer::scaled);
    /// `geometry`: of the batches that the rows stand in; else that of the row half.
    NormalEquations(const AlxConfig& config, const BatchGeometry& geometry,
                    Regularizer regularizer = Regularizer::scaled);

    /// `gramian` is [dim x dim].
    void fix(const std::vector<double>& gramian, std::int64_t other_count);
    /// Writes row `slot` of `target`, rounded to its dtype, and returns the solver's iterations.
    /// May be called from many threads.
    std::int64_t solve(const GatheredRows& rows, RowStore& target, std::int64_t slot) const;
    /// The same of two rows.
    std::array<std::int64_t, 2> solve_two(const std::array<GatheredRows, 2>& rows, RowStore& target,
                                          const std::array<std::int64_t, 2>& slots) const;
    /// Whether that is faster than row by row.
    bool solves_by_two() const;
    /// The same of a row of several batches, which hold its links up to `end` by now: adds those
    /// that `carried` lacks, in their order; null at first. With all of them it solves and returns
    /// the iterations, else 0. The same bits as of the whole row: what is carried is rounded
    /// nowhere, and the links of a block that a batch's end cuts are added with its other end.
    std::int64_t add(const GatheredRows& rows, std::int64_t end,
                     std::unique_ptr<PartialStatistics>& carried, RowStore& target,
                     std::int64_t slot) const;

    const Solver& solver() const { return *solver_; }

private:
    std::shared_ptr<const Solver> solver_;
    std::shared_ptr<RowSystems> systems_;
};

/// [spmd::padded(dim) x spmd::padded(dim)], upper triangle: sum of h h^T over the rows [begin, end)
/// of the store, in order. In f32 with that many passes over bf16 parts of the rows, see
/// AlxConfig::matmul_passes.
void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                 float* gramian);
void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, int passes,
                 double* gramian);

} // namespace alxsim::alx
