// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/svd.h"

#include "spmd/linear/eigen_matrices.h"
#include "spmd/linear/op_parts.h"
#include "spmd/linear/polar.h"
#include "spmd/linear/symmetric_eigen.h"
#include "spmd/linear/tall_qr.h"

#include <Eigen/SVD>

#include <algorithm>

namespace alxsim::spmd {
namespace {

int add_product(model::OpGraph& graph, const char* name, const Matrices& square, std::int64_t m,
                const std::string& left, const std::string& right, const std::string& result,
                int after)
{
    const std::int64_t n = square.columns;
    return graph.add({name,
                      square.phase,
                      highest_matmul(square.count, m, n, n),
                      {{left, square.f32(m * n)}, {right, square.f32(n * n)}},
                      {{result, square.f32(m * n)}},
                      {after},
                      nullptr});
}

/// With the signs that all programs agree on.
template <class Svd, class Real>
void put_svd(const Svd& svd, Real* u, Real* s, Real* vt)
{
    auto left = svd.matrixU().eval();
    auto right = svd.matrixV().eval();
    for (Eigen::Index i = 0; i < right.cols(); ++i) {
        const Real sign = sign_of_largest(right.col(i));
        left.col(i) *= sign;
        right.col(i) *= sign;
    }
    put(left, u);
    put(svd.singularValues(), s);
    put(right.transpose(), vt);
}

} // namespace

template <class Real>
void svd(const Real* a, std::int64_t rows, std::int64_t columns, Real* u, Real* s, Real* vt)
{
    const std::int64_t k = std::min(rows, columns);
    if (!all_finite(a, rows * columns)) {
        fill_with_nan(u, rows * k);
        fill_with_nan(s, k);
        fill_with_nan(vt, k * columns);
        return;
    }
    const EigenMatrix<Real> matrix = eigen_matrix(a, rows, columns);
    const Eigen::BDCSVD<EigenMatrix<Real>> quick(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    // Eigen's divide and conquer yields NaN for some matrices with many equal singular values.
    if (quick.matrixU().allFinite() && quick.matrixV().allFinite() &&
        quick.singularValues().allFinite()) {
        put_svd(quick, u, s, vt);
        return;
    }
    put_svd(Eigen::JacobiSVD<EigenMatrix<Real>>(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV),
            u, s, vt);
}

template void svd(const float*, std::int64_t, std::int64_t, float*, float*, float*);
template void svd(const double*, std::int64_t, std::int64_t, double*, double*, double*);

int add_svd(model::OpGraph& graph, const Matrices& a, const SvdBuffers& buffers, int after,
            std::shared_ptr<const model::Effect> effect)
{
    // A wide matrix is decomposed as its transpose: its U is the other's V.
    const std::int64_t rows = std::max(a.rows, a.columns);
    const std::int64_t n = std::min(a.rows, a.columns);
    const std::string& u = a.rows < a.columns ? buffers.v : buffers.u;
    const std::string& v = a.rows < a.columns ? buffers.u : buffers.v;
    const bool with_qr = static_cast<double>(rows) > 1.15 * static_cast<double>(n);
    const std::string q = a.between("q");
    Matrices left = a.others(rows, n, a.buffer, "svd");
    if (with_qr) {
        const std::string r = a.between("r");
        after = add_tall_qr(graph, left, q, r, after, nullptr);
        left = a.others(n, n, r, "svd");
    }
    const std::string polar = a.between("polar");
    const std::string h = a.between("h");
    after = add_polar(graph, left, polar, h, after);
    after = add_symmetric_eigen(graph, a.others(n, n, h, "eigen"), buffers.s, v, after, nullptr);
    after = add_product(graph, "polar factor times V", left, left.rows, polar, v,
                        with_qr ? a.between("small_u") : u, after);
    if (with_qr) {
        after = add_product(graph, "Q times U", left, rows, q, a.between("small_u"), u, after);
    }
    graph.ops[static_cast<std::size_t>(after)].effect = std::move(effect);
    return after;
}

double svd_operations(std::int64_t rows, std::int64_t columns)
{
    const auto m = static_cast<double>(std::max(rows, columns));
    const auto n = static_cast<double>(std::min(rows, columns));
    return 6 * m * n * n + 20 * n * n * n;
}

} // namespace alxsim::spmd
