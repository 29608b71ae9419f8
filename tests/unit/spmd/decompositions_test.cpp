// SPDX-License-Identifier: Apache-2.0
#include "base/json_document.h"
#include "spmd/linear/polar.h"
#include "spmd/linear/random.h"
#include "spmd/linear/svd.h"
#include "spmd/linear/symmetric_eigen.h"
#include "spmd/linear/tall_qr.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

namespace alxsim::spmd {
namespace {

template <class Real>
using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Rows<double>;

template <class Real = double>
Rows<Real> random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t stream = 900)
{
    Rows<Real> matrix(rows, columns);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
        matrix.data()[i] = static_cast<Real>(random_normal(stream, i));
    }
    return matrix;
}

template <class Real>
struct Qr {
    explicit Qr(const Rows<Real>& a) : q(a.rows(), a.cols()), r(a.cols(), a.cols())
    {
        tall_qr(a.data(), a.rows(), a.cols(), q.data(), r.data());
    }
    Rows<Real> q, r;
};

template <class Real>
struct Svd {
    explicit Svd(const Rows<Real>& a)
        : u(a.rows(), std::min(a.rows(), a.cols())),
          s(1, u.cols()),
          vt(u.cols(), a.cols())
    {
        svd(a.data(), a.rows(), a.cols(), u.data(), s.data(), vt.data());
    }
    Rows<Real> u, s, vt;
};

template <class Real>
struct SymmetricEigen {
    explicit SymmetricEigen(const Rows<Real>& a) : values(1, a.rows()), vectors(a.rows(), a.rows())
    {
        symmetric_eigen(a.data(), a.rows(), values.data(), vectors.data());
    }
    Rows<Real> values, vectors;
};

/// How far the columns are from orthonormal.
template <class Real>
double distance_from_orthonormal(const Rows<Real>& columns)
{
    const Matrix wide = columns.template cast<double>();
    return (wide.transpose() * wide - Matrix::Identity(wide.cols(), wide.cols())).norm();
}

template <class Real>
double distance(const Rows<Real>& a, const Rows<Real>& b)
{
    return (a - b).template cast<double>().norm() / b.template cast<double>().norm();
}

/// Sizes on both sides of where Eigen works in blocks and of where small methods end.
class Decompositions : public testing::TestWithParam<std::pair<int, int>> {
protected:
    int rows_ = GetParam().first;
    int columns_ = GetParam().second;
};

TEST_P(Decompositions, PutAMatrixTogetherAgain)
{
    const Matrix a = random_matrix(rows_, columns_);
    if (rows_ >= columns_) {
        const Qr<double> qr(a);
        EXPECT_LT(distance<double>(qr.q * qr.r, a), 1e-12);
        EXPECT_LT(distance_from_orthonormal(qr.q), 1e-12);
        EXPECT_GE(qr.r.diagonal().minCoeff(), 0);
        EXPECT_EQ(Matrix(qr.r.triangularView<Eigen::StrictlyLower>()).norm(), 0);
    }
    const Svd<double> svd(a);
    EXPECT_LT(distance<double>(svd.u * svd.s.row(0).asDiagonal() * svd.vt, a), 1e-12);
    EXPECT_LT(distance_from_orthonormal(svd.u), 1e-12);
    EXPECT_LT(distance_from_orthonormal<double>(svd.vt.transpose()), 1e-12);
    EXPECT_GE(svd.s.minCoeff(), 0);
    for (int i = 1; i < svd.s.size(); ++i) {
        EXPECT_GE(svd.s(i - 1), svd.s(i));
    }
    const Matrix gramian = a.transpose() * a;
    const SymmetricEigen<double> eigen(gramian);
    EXPECT_LT(distance<double>(eigen.vectors * eigen.values.row(0).asDiagonal() *
                                   eigen.vectors.transpose(),
                               gramian),
              1e-12);
    EXPECT_LT(distance_from_orthonormal(eigen.vectors), 1e-12);
    const double largest = eigen.values(columns_ - 1);
    EXPECT_NEAR(std::sqrt(largest), svd.s(0), 1e-12 * svd.s(0));
}

TEST_P(Decompositions, DoSoInF32)
{
    const Rows<float> a = random_matrix<float>(rows_, columns_);
    if (rows_ >= columns_) {
        const Qr<float> qr(a);
        EXPECT_LT(distance<float>(qr.q * qr.r, a), 1e-5);
        EXPECT_LT(distance_from_orthonormal(qr.q), 1e-4);
    }
    const Svd<float> svd(a);
    EXPECT_LT(distance<float>(svd.u * svd.s.row(0).asDiagonal() * svd.vt, a), 1e-5);
    EXPECT_LT(distance_from_orthonormal(svd.u), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Decompositions,
                         testing::Values(std::pair(1, 1), std::pair(5, 1), std::pair(9, 4),
                                         std::pair(4, 9), std::pair(16, 16), std::pair(200, 60),
                                         std::pair(60, 150), std::pair(130, 130)));

/// [rows][columns], or one column.
Matrix matrix_of(const Json& rows)
{
    const bool one_column = !rows.front().is_array();
    Matrix matrix(rows.size(), one_column ? 1 : rows.front().size());
    Eigen::Index i = 0;
    for (const Json& row : rows) {
        const auto numbers =
            one_column ? std::vector<double>{row.get<double>()} : row.get<std::vector<double>>();
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            matrix(i, j) = numbers[static_cast<std::size_t>(j)];
        }
        ++i;
    }
    return matrix;
}

TEST(DecompositionNumbers, AreNumPys)
{
    const Json golden =
        load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/linear/decompositions.json");
    const auto near = [](const Matrix& found, const Json& expected) {
        EXPECT_LT((found - matrix_of(expected)).cwiseAbs().maxCoeff(), 1e-12) << expected;
    };
    ASSERT_EQ(golden.at("tall_qr").size(), 2U);
    for (const Json& json : golden.at("tall_qr")) {
        const Qr<double> qr(matrix_of(json.at("a")));
        near(qr.q, json.at("q"));
        near(qr.r, json.at("r"));
    }
    ASSERT_EQ(golden.at("svd").size(), 4U);
    for (const Json& json : golden.at("svd")) {
        const Svd<double> svd(matrix_of(json.at("a")));
        near(svd.s.transpose(), json.at("s"));
    }
    for (std::size_t i = 0; i < 3; ++i) { // vectors of values nine decades apart are less certain
        const Json& json = golden.at("svd").at(i);
        const Svd<double> svd(matrix_of(json.at("a")));
        near(svd.u, json.at("u"));
        near(svd.vt, json.at("vt"));
    }
    ASSERT_EQ(golden.at("symmetric_eigen").size(), 2U);
    for (const Json& json : golden.at("symmetric_eigen")) {
        const SymmetricEigen<double> eigen(matrix_of(json.at("a")));
        EXPECT_LT(distance<double>(eigen.values.transpose(), matrix_of(json.at("values"))), 1e-12);
        near(eigen.vectors, json.at("vectors"));
    }
}

TEST(DecompositionNumbers, HaveNoRankToLose)
{
    Matrix a = random_matrix(40, 6);
    a.col(4) = a.col(1) + a.col(2);
    const Svd<double> svd(a);
    EXPECT_LT(svd.s(5), 1e-13 * svd.s(0));
    EXPECT_LT(distance_from_orthonormal(svd.u), 1e-12);
    const Qr<double> qr(a);
    EXPECT_LT(distance_from_orthonormal(qr.q), 1e-12);
    const Svd<double> zero(Matrix::Zero(20, 3));
    EXPECT_EQ(zero.s.norm(), 0);
    EXPECT_LT(distance_from_orthonormal(zero.u), 1e-12);
}

TEST(DecompositionNumbers, AreNanWhereAMatrixIsNotFinite)
{
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        Matrix a = random_matrix(20, 20);
        a(3, 2) = value;
        EXPECT_TRUE(Svd<double>(a).s.hasNaN());
        EXPECT_TRUE(SymmetricEigen<double>(a).vectors.hasNaN());
        EXPECT_TRUE(Qr<double>(a).r.hasNaN());
    }
}

TEST(DecompositionNumbers, RefuseAQrOfAWideMatrix)
{
    EXPECT_THROW(Qr<double>(Matrix(random_matrix(3, 4))), std::logic_error);
}

TEST(DecompositionNumbers, AreTheSameBitsOnEveryThread)
{
    const Matrix a = random_matrix(300, 120);
    const Svd<double> here(a);
    const Qr<double> qr_here(a);
    std::thread([&] {
        EXPECT_EQ(Svd<double>(a).u, here.u);
        EXPECT_EQ(Qr<double>(a).q, qr_here.q);
    }).join();
}

TEST(DecompositionNumbers, DoNotDependOnTheCachesOfTheCpu)
{
    // Eigen's blocks, and with them the order of its sums, follow the caches that it knows.
    EXPECT_EQ(Eigen::l1CacheSize(), 32 << 10);
    EXPECT_EQ(Eigen::l2CacheSize(), 256 << 10);
    EXPECT_EQ(Eigen::l3CacheSize(), 2 << 20);
}

/// Multiplications and additions: products on the MXU once, whatever their passes.
struct Operations {
    double mxu = 0;
    double vpu = 0;
    double all() const { return mxu + vpu; }
};

Operations operations(const model::OpGraph& graph)
{
    Operations sum;
    for (const model::Op& op : graph.ops) {
        if (const auto* matmul = std::get_if<model::Matmul>(&op.work)) {
            sum.mxu += 2.0 * static_cast<double>(matmul->batch) * static_cast<double>(matmul->m) *
                       static_cast<double>(matmul->k) * static_cast<double>(matmul->n);
        } else if (const auto* vector = std::get_if<model::Vector>(&op.work)) {
            sum.vpu += static_cast<double>(vector->elements) * vector->ops_per_element;
        } else if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            const Operations inner = operations(*repeat->body);
            sum.mxu += inner.mxu * static_cast<double>(repeat->times);
            sum.vpu += inner.vpu * static_cast<double>(repeat->times);
        }
    }
    return sum;
}

Matrices batch(std::int64_t count, std::int64_t rows, std::int64_t columns)
{
    return {count, rows, columns, "a", "decompose", "work"};
}

Operations qr_operations(std::int64_t count, std::int64_t rows, std::int64_t columns)
{
    model::OpGraph graph;
    add_tall_qr(graph, batch(count, rows, columns), "q", "r", -1, nullptr);
    return operations(graph);
}

TEST(DecompositionOps, OfAQrInOnePanelAreCountedOut)
{
    const double m = 1000;
    const double n = 64;
    // n columns of a reflector (4 m) and a masked product and update of the whole panel (6 m n);
    // Q: Y^T Y, T column by column, Y^T I, T of it, Y of it, a sum; copies in and of R.
    const Operations found = qr_operations(3, 1000, 64);
    EXPECT_EQ(found.vpu, 3 * (n * (4 * m + 6 * m * n) + n * 2 * n * n + m * n + m * n + n * n));
    EXPECT_EQ(found.mxu, 3 * (2 * n * m * n + 2 * n * m * n + 2 * n * n * n + 2 * m * n * n));
}

TEST(DecompositionOps, OfAQrComeNearTheTextbookWithManyPanels)
{
    // With m rows beyond counting and panels of k columns the ops add up to 4 m n^2 + 12 m n k - 4
    // m k^2: shapes that do not shrink within a panel, and T, are the rest.
    const auto ratio = [](std::int64_t m, std::int64_t n) {
        return qr_operations(1, m, n).all() / tall_qr_operations(m, n);
    };
    for (const std::int64_t n : {128, 512, 4096}) {
        const double share = 128.0 / static_cast<double>(n);
        EXPECT_NEAR(ratio(1'000'000, n), 1 + 3 * share - share * share, 0.02) << n;
    }
    for (const auto& [m, n] : {std::pair(5, 5), std::pair(300, 200), std::pair(2000, 1000)}) {
        EXPECT_GT(ratio(m, n), 1) << m << " x " << n;
    }
}

TEST(DecompositionOps, OfSmallEigenvaluesRotateAllPairs)
{
    model::OpGraph graph;
    add_symmetric_eigen(graph, batch(10, 64, 64), "values", "vectors", -1, nullptr);
    const double n = 64;
    // A round: 16 for each of n / 2 rotations, 12 for each number: rows, columns, their moves,
    // vectors and theirs. A sweep: n - 1 rounds and norms. 6 sweeps.
    EXPECT_EQ(operations(graph).vpu,
              10 * (n * n + 6 * ((n - 1) * (8 * n + 12 * n * n) + 4 * n * n)));
    EXPECT_EQ(operations(graph).mxu, 0);
    // Twice the textbook's: no use of symmetry, and moves.
    EXPECT_NEAR(operations(graph).vpu / (10 * 6 * jacobi_sweep_operations(64)), 2, 0.05);
}

TEST(DecompositionOps, OfLargeEigenvaluesAreProducts)
{
    const auto of = [](std::int64_t n) {
        model::OpGraph graph;
        add_symmetric_eigen(graph, batch(1, n, n), "values", "vectors", -1, nullptr);
        return operations(graph);
    };
    EXPECT_EQ(of(256).mxu, 0);
    EXPECT_GT(of(257).mxu, 0);
    // Four splits of halves; each has a fourth of the work of the one before, about.
    const double n = 4096;
    EXPECT_GT(of(4096).mxu, 4 * of(4096).vpu);
    EXPECT_GT(of(4096).mxu, 60 * n * n * n);
    EXPECT_LT(of(4096).mxu, 120 * n * n * n);
    EXPECT_NEAR(of(8192).mxu / of(4096).mxu, 8, 0.8);
}

TEST(DecompositionOps, OfAPolarDecompositionIterateAsOftenAsNumPySays)
{
    EXPECT_EQ(polar_iterations().with_qr, 2);
    EXPECT_EQ(polar_iterations().with_cholesky, 2);
}

TEST(DecompositionOps, OfAnSvdAreTheSameOfATransposeAndMoreThanTheTextbooks)
{
    const auto of = [](std::int64_t m, std::int64_t n) {
        model::OpGraph graph;
        const int last = add_svd(graph, batch(2, m, n), {"u", "s", "v"}, -1, nullptr);
        EXPECT_EQ(last, static_cast<int>(graph.ops.size()) - 1);
        return operations(graph).all();
    };
    for (const auto& [m, n] : {std::pair(64, 64), std::pair(5000, 64), std::pair(3000, 600)}) {
        EXPECT_EQ(of(m, n), of(n, m));
        EXPECT_GT(of(m, n), 2 * svd_operations(m, n));
    }
    // A QR first, as soon as one side is more than 1.15 times the other.
    EXPECT_LT(of(2000, 600), of(690, 600) * 3);
}

} // namespace
} // namespace alxsim::spmd
