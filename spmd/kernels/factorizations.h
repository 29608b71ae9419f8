// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/arithmetic.h"
#include "spmd/kernels/linear_system.h"

namespace alxsim::spmd {
namespace {

// What an element is less by is subtracted product after product, by ascending row or column of the
// factor, so that no result depends on how the work is cut into tiles.

/// Where a kernel that takes whole packs may begin so that `column` is among what it covers.
constexpr int pack_start(int column)
{
    return column / 16 * 16;
}

/// The factors of products: of the k-th for row r, [k * per_k + r * per_row].
template <class Real>
struct Factors {
    const Real* first;
    std::int64_t per_k;
    std::int64_t per_row;
};

/// target[r][j] -= sum_k factors(k, r) right[k][j], for Rows rows and Width packs of columns.
template <int Rows, int Width, class Real>
[[gnu::always_inline]] inline void subtract_tile(const Factors<Real>& factors, const Real* right,
                                                 int count, std::int64_t stride, Real* target)
{
    constexpr int width = PackOf<Real>::width;
    Pack<Real> rest[Rows][Width];
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            rest[r][v] = load(target + r * stride + v * width);
        }
    }
    for (int k = 0; k < count; ++k) {
        Pack<Real> x[Width];
        for (int v = 0; v < Width; ++v) {
            x[v] = load(right + k * stride + v * width);
        }
        for (int r = 0; r < Rows; ++r) {
            const Pack<Real> factor =
                broadcast(-factors.first[k * factors.per_k + r * factors.per_row]);
            for (int v = 0; v < Width; ++v) {
                rest[r][v] = multiply_add(x[v], factor, rest[r][v]);
            }
        }
    }
    for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Width; ++v) {
            store(target + r * stride + v * width, rest[r][v]);
        }
    }
}

/// The same for Rows rows of a matrix, columns [begin, stride).
template <int Rows, class Real>
[[gnu::always_inline]] inline void subtract_rows(const Factors<Real>& factors, const Real* right,
                                                 int count, int begin, std::int64_t stride,
                                                 Real* target)
{
    constexpr int width = PackOf<Real>::width;
    int j = begin;
    for (; j + 2 * width <= stride; j += 2 * width) {
        subtract_tile<Rows, 2>(factors, right + j, count, stride, target + j);
    }
    for (; j < stride; j += width) {
        subtract_tile<Rows, 1>(factors, right + j, count, stride, target + j);
    }
}

/// ... and for `rows` rows.
template <class Real>
void subtract_products(const Factors<Real>& factors, const Real* right, int count, int rows,
                       int begin, std::int64_t stride, Real* target)
{
    constexpr int most = vector_registers / 4;
    int r = 0;
    const auto from = [&](int row) {
        return Factors<Real>{factors.first + row * factors.per_row, factors.per_k, factors.per_row};
    };
    for (; r + most <= rows; r += most) {
        subtract_rows<most>(from(r), right, count, begin, stride, target + r * stride);
    }
    for (; r < rows; ++r) {
        subtract_rows<1>(from(r), right, count, begin, stride, target + r * stride);
    }
}

/// y - sum_j>=begin row[j] x[j], by sixteen partial sums.
template <class Real>
[[gnu::always_inline]] inline Real less_dot(Real y, const Real* row, const Real* x, int begin,
                                            std::int64_t stride)
{
    return begin < stride ? y - dot(row + begin, x + begin, stride - begin) : y;
}

/// U x = y for the upper triangle of `upper`; `inverse` [dim] is one over its diagonal, `y` is
/// overwritten.
template <class Real>
void solve_upper(const Real* upper, const Real* inverse, int dim, std::int64_t stride, Real* y,
                 Real* x)
{
    for (int i = 0; i < stride; ++i) {
        x[i] = Real(0);
    }
    for (int first = pack_start(dim - 1); first >= 0; first -= 16) {
        const int end = first + 16 < dim ? first + 16 : dim;
        for (int i = first; i < end; ++i) {
            y[i] = less_dot(y[i], upper + i * stride, x, first + 16, stride);
        }
        for (int i = end - 1; i >= first; --i) {
            Real rest = y[i];
            for (int j = i + 1; j < end; ++j) {
                rest = multiply_add(-upper[i * stride + j], x[j], rest);
            }
            x[i] = rest * inverse[i];
        }
    }
}

/// Rows of U that are finished together, and columns of L in LU. Part of no result.
constexpr int cholesky_block = 8;
constexpr int lu_block = 16;

/// The square on the diagonal of a block of rows: U's rows in it, and one over U's diagonal.
template <class Real>
[[gnu::always_inline]] inline void
factor_diagonal(const Real* matrix, std::int64_t stride, int rows,
                Real (&square)[cholesky_block][cholesky_block], Real* inverse)
{
    for (int r = 0; r < rows; ++r) {
        for (int j = r; j < rows; ++j) {
            square[r][j] = matrix[r * stride + j];
        }
    }
    for (int r = 0; r < rows; ++r) {
        inverse[r] = Real(1) / square_root(square[r][r]);
        for (int j = r; j < rows; ++j) {
            square[r][j] = square[r][j] * inverse[r];
        }
        for (int i = r + 1; i < rows; ++i) {
            for (int j = i; j < rows; ++j) {
                square[i][j] = multiply_add(square[r][j], -square[r][i], square[i][j]);
            }
        }
    }
}

/// The block's rows in columns [begin, stride): x_r = (x_r - sum_q<r square[q][r] x_q) inverse[r].
template <int Rows, class Real>
[[gnu::always_inline]] inline void finish_rows(const Real (&square)[cholesky_block][cholesky_block],
                                               const Real* inverse, int begin, std::int64_t stride,
                                               Real* rows)
{
    for (int j = begin; j < stride; j += PackOf<Real>::width) {
        Pack<Real> x[Rows];
        for (int r = 0; r < Rows; ++r) {
            x[r] = load(rows + r * stride + j);
            for (int q = 0; q < r; ++q) {
                x[r] = multiply_add(x[q], broadcast(-square[q][r]), x[r]);
            }
            x[r] = x[r] * broadcast(inverse[r]);
            store(rows + r * stride + j, x[r]);
        }
    }
}

template <class Real>
void cholesky(const LinearSystemOf<Real>& system, Real* scratch)
{
    const std::int64_t stride = system.stride;
    Real* const inverse = scratch;
    Real* const rest = inverse + stride; // of the right-hand side
    Real* const y = rest + stride;
    for (int i = 0; i < stride; ++i) {
        rest[i] = system.rhs[i];
    }
    for (int first = 0; first < system.dim; first += cholesky_block) {
        // Rows beyond dim are zero, and stay out of what is read.
        const int rows = system.dim - first < cholesky_block ? system.dim - first : cholesky_block;
        Real* const block = system.matrix + first * stride;
        const int begin = pack_start(first);
        subtract_products(Factors<Real>{system.matrix + first, stride, 1}, system.matrix, first,
                          rows, begin, stride, block);
        Real square[cholesky_block][cholesky_block];
        factor_diagonal(block + first, stride, rows, square, inverse + first);
        if (rows == cholesky_block) {
            finish_rows<cholesky_block>(square, inverse + first, begin, stride, block);
        }
        for (int r = 0; r < rows; ++r) {
            for (int j = begin; j < first + rows; ++j) {
                block[r * stride + j] = j < first + r ? Real(0) : square[r][j - first];
            }
        }
    }
    for (int k = 0; k < system.dim; ++k) {
        y[k] = rest[k] * inverse[k];
        const Real* const row = system.matrix + k * stride;
        const Pack<Real> factor = broadcast(-y[k]);
        for (int j = pack_start(k); j < stride; j += PackOf<Real>::width) {
            store(rest + j, multiply_add(load(row + j), factor, load(rest + j)));
        }
    }
    solve_upper(system.matrix, inverse, system.dim, stride, y, system.solution);
}

template <class Real>
void swap_rows(Real* x, Real* y, int length)
{
    for (int i = 0; i < length; ++i) {
        const Real kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

/// The row of the first largest element of column `column`, from the diagonal down.
template <class Real>
int pivot_row(const Real* matrix, int dim, std::int64_t stride, int column)
{
    int best = column;
    for (int row = column + 1; row < dim; ++row) {
        if (magnitude(matrix[row * stride + column]) > magnitude(matrix[best * stride + column])) {
            best = row;
        }
    }
    return best;
}

/// Eliminates the columns [first, end) from all rows below them, in these columns alone.
template <class Real>
void factor_panel(const LinearSystemOf<Real>& system, int first, int end, Real* inverse, Real* rhs)
{
    const std::int64_t stride = system.stride;
    for (int column = first; column < end; ++column) {
        Real* const pivot = system.matrix + column * stride;
        const int best = pivot_row(system.matrix, system.dim, stride, column);
        if (best != column) {
            swap_rows(pivot, system.matrix + best * stride, stride);
            swap_rows(rhs + column, rhs + best, 1);
        }
        inverse[column] = Real(1) / pivot[column];
        Real right[lu_block]; // zero where the panel's row is finished
        for (int j = 0; j < lu_block; ++j) {
            right[j] = first + j > column ? pivot[first + j] : Real(0);
        }
        for (int row = column + 1; row < system.dim; ++row) {
            Real* const target = system.matrix + row * stride;
            target[column] = target[column] * inverse[column];
            const Pack<Real> factor = broadcast(-target[column]);
            for (int j = 0; j < lu_block; j += PackOf<Real>::width) {
                Real* const to = target + first + j;
                store(to, multiply_add(load(right + j), factor, load(to)));
            }
        }
    }
}

template <class Real>
void lu(const LinearSystemOf<Real>& system, Real* scratch)
{
    const std::int64_t stride = system.stride;
    Real* const inverse = scratch;
    Real* const rhs = inverse + stride;
    Real* const y = rhs + stride;
    for (int i = 0; i < stride; ++i) {
        rhs[i] = system.rhs[i];
        y[i] = Real(0);
    }
    for (int first = 0; first < system.dim; first += lu_block) {
        const int end = first + lu_block < system.dim ? first + lu_block : system.dim;
        Real* const block = system.matrix + first * stride;
        factor_panel(system, first, end, inverse, rhs);
        const Factors<Real> left{block + first, 1, stride};
        for (int r = 1; r < end - first; ++r) {
            subtract_products(Factors<Real>{left.first + r * stride, 1, stride}, block, r, 1,
                              first + lu_block, stride, block + r * stride);
        }
        subtract_products(Factors<Real>{block + lu_block * stride + first, 1, stride}, block,
                          end - first, system.dim - end, first + lu_block, stride,
                          block + lu_block * stride);
    }
    for (int k = 0; k < system.dim; ++k) {
        // y is zero from k on
        y[k] = rhs[k] - dot(system.matrix + k * stride, y, pack_start(k) + 16);
    }
    solve_upper(system.matrix, inverse, system.dim, stride, y, system.solution);
}

/// The reflector I - tau v v^T that maps x, from its place k down, onto a multiple of e_k; v [k] is
/// 1.
template <class Real>
struct Reflector {
    Real* v; ///< [stride], x before
    Real tau;
    Real diagonal; ///< what x[k] becomes
};

/// LAPACK's (xLARFG), without its scaling. `v` is zero above k.
template <class Real>
Reflector<Real> reflector_of(Real* v, int k, std::int64_t stride)
{
    const Real x = v[k];
    v[k] = Real(0);
    const Real tail = dot(v, v, stride);
    v[k] = Real(1);
    if (tail == Real(0)) {
        return {v, Real(0), x};
    }
    const Real length = square_root(multiply_add(x, x, tail));
    const Real diagonal = x < Real(0) ? length : -length;
    const Real scale = Real(1) / (x - diagonal);
    for (int i = k + 1; i < stride; ++i) {
        v[i] = v[i] * scale;
    }
    return {v, (diagonal - x) / diagonal, diagonal};
}

/// Rows [k, dim) of columns [begin, stride), Width packs of them: A -= tau v (v^T A).
template <int Width, class Real>
[[gnu::always_inline]] inline void reflect_columns(const Reflector<Real>& reflector, int k, int dim,
                                                   std::int64_t stride, Real* columns)
{
    constexpr int width = PackOf<Real>::width;
    Pack<Real> sums[Width];
    for (int v = 0; v < Width; ++v) {
        sums[v] = broadcast(Real(0));
    }
    for (int i = k; i < dim; ++i) {
        const Pack<Real> factor = broadcast(reflector.v[i]);
        for (int v = 0; v < Width; ++v) {
            sums[v] = multiply_add(load(columns + i * stride + v * width), factor, sums[v]);
        }
    }
    for (int v = 0; v < Width; ++v) {
        sums[v] = sums[v] * broadcast(reflector.tau);
    }
    for (int i = k; i < dim; ++i) {
        const Pack<Real> factor = broadcast(-reflector.v[i]);
        for (int v = 0; v < Width; ++v) {
            Real* const target = columns + i * stride + v * width;
            store(target, multiply_add(sums[v], factor, load(target)));
        }
    }
}

template <class Real>
void qr(const LinearSystemOf<Real>& system, Real* scratch)
{
    constexpr int width = PackOf<Real>::width;
    const std::int64_t stride = system.stride;
    Real* const inverse = scratch;
    Real* const y = inverse + stride;
    Real* const v = y + stride;
    for (int i = 0; i < stride; ++i) {
        y[i] = system.rhs[i];
    }
    for (int k = 0; k < system.dim; ++k) {
        for (int i = 0; i < stride; ++i) {
            v[i] = i < k || i >= system.dim ? Real(0) : system.matrix[i * stride + k];
        }
        const Reflector<Real> reflector = reflector_of(v, k, stride);
        inverse[k] = Real(1) / reflector.diagonal;
        int j = pack_start(k + 1);
        for (; j + 4 * width <= stride; j += 4 * width) {
            reflect_columns<4>(reflector, k, system.dim, stride, system.matrix + j);
        }
        for (; j < stride; j += width) {
            reflect_columns<1>(reflector, k, system.dim, stride, system.matrix + j);
        }
        const Real factor = -(dot(v, y, stride) * reflector.tau);
        for (int i = k; i < system.dim; ++i) {
            y[i] = multiply_add(v[i], factor, y[i]);
        }
    }
    solve_upper(system.matrix, inverse, system.dim, stride, y, system.solution);
}

} // namespace
} // namespace alxsim::spmd
