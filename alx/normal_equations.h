// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/lanes.h"
#include "alx/row_store.h"
#include "alx/solver.h"

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
};

/// Solves for one row of a table while the other is fixed (als.py, `project`):
///     (sum h h^T + alpha G + reg (len + alpha other_count) I) w = sum h
/// with the sums over the fixed table's rows h that the row links to, G the fixed table's Gramian
/// and other_count its number of rows (phantom rows not counted). All in f32, the sums in the order
/// of the links: a row's solution depends on nothing but its links, the fixed rows and G.
class NormalEquations {
public:
    explicit NormalEquations(const AlxConfig& config);

    /// `gramian` is [padded(dim) x padded(dim)].
    void fix(const FloatBuffer& gramian, std::int64_t other_count);
    /// Writes `solution` [dim] and returns the solver's iterations. May be called from many
    /// threads.
    std::int64_t solve(const GatheredRows& rows, float* solution) const;

    const Solver& solver() const { return *solver_; }

private:
    AlxConfig config_;
    std::shared_ptr<const Solver> solver_;
    FloatBuffer weighted_gramian_;
    float other_count_ = 0;
};

/// [padded(dim) x padded(dim)]: sum of h h^T over the rows [begin, end) of the store, f32, in
/// order.
void add_gramian(const RowStore& store, std::int64_t begin, std::int64_t end, float* gramian);

} // namespace alxsim::alx
