// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"

#include "base/numbers/random.h"
#include "model/costs/matmul.h"
#include "solver_names.h"
#include "spmd/linear/triangular.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <thread>

namespace alxsim::alx {
namespace {

using model::OpGraph;
using model::Repeat;

AlxConfig config_of(int dim)
{
    AlxConfig config;
    config.dim = dim;
    return config;
}

/// A symmetric positive definite matrix of a given condition, with a random basis.
Eigen::MatrixXf eigen_matrix_of(int dim, double condition)
{
    Eigen::MatrixXd random(dim, dim);
    for (int i = 0; i < dim * dim; ++i) {
        random(i / dim, i % dim) = normal(static_cast<std::uint64_t>(i));
    }
    const Eigen::MatrixXd basis = Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ();
    Eigen::VectorXd values(dim);
    for (int i = 0; i < dim; ++i) {
        values(i) = std::pow(condition, -static_cast<double>(i) / std::max(1, dim - 1));
    }
    const Eigen::MatrixXd matrix = basis * values.asDiagonal() * basis.transpose();
    return (0.5 * (matrix + matrix.transpose())).cast<float>();
}

Eigen::VectorXf rhs_of(int dim)
{
    Eigen::VectorXf rhs(dim);
    for (int i = 0; i < dim; ++i) {
        rhs(i) = static_cast<float>(normal(static_cast<std::uint64_t>(1'000'000 + i)));
    }
    return rhs;
}

/// x with its padding.
spmd::FloatBuffer solve(const std::string& solver, const Eigen::MatrixXf& matrix,
                        const Eigen::VectorXf& rhs)
{
    const int dim = static_cast<int>(rhs.size());
    const int stride = spmd::padded(dim);
    const auto n = static_cast<std::size_t>(stride);
    spmd::FloatBuffer padded_matrix(n * n);
    spmd::FloatBuffer padded_rhs(n);
    spmd::FloatBuffer x(n, 7.0F);
    for (int i = 0; i < dim; ++i) {
        padded_rhs[static_cast<std::size_t>(i)] = rhs(i);
        for (int j = 0; j < dim; ++j) {
            padded_matrix[static_cast<std::size_t>(i * stride + j)] = matrix(i, j);
        }
    }
    spmd::FloatBuffer scratch;
    solvers().create(solver)->solve(
        {dim, stride, padded_matrix.data(), padded_rhs.data(), x.data()}, config_of(dim), scratch);
    return x;
}

class DirectSolver : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(DirectSolver, IsBackwardStableForWellAndIllConditionedSystems)
{
    const auto [solver, dim] = GetParam();
    for (const double condition : {1.0, 30.0, 1e4}) {
        const Eigen::MatrixXf matrix = eigen_matrix_of(dim, condition);
        const Eigen::VectorXf rhs = rhs_of(dim);
        const spmd::FloatBuffer x = solve(solver, matrix, rhs);
        const Eigen::VectorXd found =
            Eigen::Map<const Eigen::VectorXf>(x.data(), dim).cast<double>();
        const Eigen::MatrixXd a = matrix.cast<double>();
        const Eigen::VectorXd b = rhs.cast<double>();
        EXPECT_LT((a * found - b).norm(), 3e-6 * (a.norm() * found.norm() + b.norm()))
            << "condition " << condition;
        const Eigen::VectorXd exact = a.partialPivLu().solve(b);
        EXPECT_LT((found - exact).norm(), 3e-6 * condition * exact.norm())
            << "condition " << condition;
        for (std::size_t i = static_cast<std::size_t>(dim); i < x.size(); ++i) {
            EXPECT_EQ(x[i], 0.0F) << "padding";
        }
    }
}

TEST_P(DirectSolver, GivesTheSameBitsOnEveryThreadWhateverItSolvedBefore)
{
    const auto [solver, dim] = GetParam();
    const Eigen::MatrixXf matrix = eigen_matrix_of(dim, 50);
    const Eigen::VectorXf rhs = rhs_of(dim);
    const spmd::FloatBuffer here = solve(solver, matrix, rhs);
    spmd::FloatBuffer there;
    std::thread([&, name = solver] {
        solve(name, eigen_matrix_of(24, 10), rhs_of(24));
        there = solve(name, matrix, rhs);
    }).join();
    EXPECT_EQ(here, there);
}

INSTANTIATE_TEST_SUITE_P(SolversAndDims, DirectSolver,
                         testing::Combine(testing::ValuesIn(direct_solvers()),
                                          testing::Values(1, 5, 16, 32, 64, 128, 200, 256)));

/// Operations of one device: multiplies and adds of the products, ops of the vector unit.
struct Operations {
    double mxu = 0;
    double vpu = 0;
};

Operations operations(const OpGraph& graph)
{
    Operations sum;
    for (const model::Op& op : graph.ops) {
        if (const auto* matmul = std::get_if<model::Matmul>(&op.work)) {
            EXPECT_EQ(matmul->passes, 6);
            sum.mxu += model::matmul_operations(*matmul) / matmul->passes;
        } else if (const auto* vector = std::get_if<model::Vector>(&op.work)) {
            sum.vpu += static_cast<double>(vector->elements) * vector->ops_per_element;
        } else if (const auto* repeat = std::get_if<Repeat>(&op.work)) {
            const Operations inner = operations(*repeat->body);
            sum.mxu += inner.mxu * static_cast<double>(repeat->times);
            sum.vpu += inner.vpu * static_cast<double>(repeat->times);
        }
    }
    return sum;
}

Operations operations(const std::string& solver, int dim, std::int64_t systems)
{
    OpGraph graph;
    graph.add({"before", "statistics", model::Copy{}, {}, {}, {}, nullptr});
    solvers().create(solver)->add_ops(graph, config_of(dim), {systems, 30}, 0, nullptr);
    return operations(graph);
}

TEST(SolverOps, ConjugateGradientsAreProductsOfAMatrixAndAVector)
{
    const double n = 64;
    // A product counts once for each element, as of a class of its own. One before the first
    // iteration, with r, r r and b b 5. An iteration: p A p 2, r r 4, x, r and p 9, and scalars.
    const double expected = 31 * n * n + 5 * n + 2 + 30 * (15 * n + 7);
    EXPECT_EQ(operations("cg", 64, 10).vpu, 10 * expected);
    EXPECT_EQ(operations("cg", 64, 10).mxu, 0);
}

TEST(SolverOps, CholeskyMultipliesTheWholeFactorForEveryColumn)
{
    const double n = 128;
    EXPECT_EQ(operations("cholesky", 128, 10).mxu, 10 * n * 2 * n * n * n);
    // Two blocks, and for the lower left one a product before and one after its inversion.
    EXPECT_EQ(operations("cholesky", 256, 10).mxu, 10 * (2 * n + 2) * 2 * n * n * n);
}

TEST(SolverOps, LuUpdatesTheWholePanelForEveryColumn)
{
    OpGraph graph;
    graph.add({"before", "statistics", model::Copy{}, {}, {}, {}, nullptr});
    solvers().create("lu")->add_ops(graph, config_of(128), {10, 12}, 0, nullptr);
    const auto panel = std::get<Repeat>(graph.ops[2].work);
    EXPECT_EQ(panel.times, 128);
    // Rank-1 update 2 n^2; pivot 5 n, swap 2 n, a division each for n multipliers.
    EXPECT_EQ(operations(*panel.body).vpu, 10 * (2 * 128 * 128 + 8 * 128));
    // U12 and the trailing block of d = 256.
    EXPECT_EQ(operations("lu", 256, 10).mxu, 10 * 2 * 2.0 * 128 * 128 * 128);
}

TEST(SolverOps, QrTakesOneSystemAfterTheOther)
{
    OpGraph graph;
    graph.add({"before", "statistics", model::Copy{}, {}, {}, {}, nullptr});
    solvers().create("qr")->add_ops(graph, config_of(64), {10, 12}, 0, nullptr);
    const auto systems = std::get<Repeat>(graph.ops[1].work);
    EXPECT_EQ(systems.times, 10);
    const auto columns = std::get<Repeat>(systems.body->ops[1].work);
    EXPECT_EQ(columns.times, 64);
    EXPECT_EQ(operations(*columns.body).vpu, 6 * 64 * 64 + 4 * 64);
}

TEST(SolverOps, NoDirectSolverDoesLessThanTheTextbook)
{
    for (const int dim : {16, 32, 64, 100, 128, 192, 256, 300}) {
        const double cube = static_cast<double>(dim) * dim * dim;
        for (const auto& [solver, factor] :
             {std::pair("cholesky", 1.0 / 3), std::pair("lu", 2.0 / 3), std::pair("qr", 4.0 / 3)}) {
            const Operations found = operations(solver, dim, 9);
            EXPECT_GT(found.mxu + found.vpu, 9 * factor * cube) << solver << " " << dim;
        }
    }
}

TEST(TriangularSolve, OfSmallSystemsGoesRowByRow)
{
    for (const auto& [dim, systems, rows] :
         {std::tuple(16, 100, 16), std::tuple(31, 9, 31), std::tuple(1, 1, 1)}) {
        OpGraph graph;
        graph.add({"before", "statistics", model::Copy{}, {}, {}, {}, nullptr});
        spmd::add_triangular_solve(
            graph, {"solve", "solve", "forward", systems, dim, 1, "l", "b", "x"}, 0);
        EXPECT_EQ(graph.ops.size(), static_cast<std::size_t>(rows + 1));
    }
}

TEST(TriangularSolve, OfLargerOnesInvertsDiagonalBlocksInALoop)
{
    OpGraph graph;
    graph.add({"before", "statistics", model::Copy{}, {}, {}, {}, nullptr});
    spmd::add_triangular_solve(graph, {"solve", "solve", "forward", 10, 256, 1, "l", "b", "x"}, 0);
    ASSERT_EQ(graph.ops.size(), 6u); // scale, invert, block, what it gives to the next, block
    const auto loop = std::get<Repeat>(graph.ops[2].work);
    EXPECT_EQ(loop.times, 127);
    EXPECT_EQ(std::get<model::Vector>(loop.body->ops[0].work).elements, 10 * 2 * 128 * 128);
}

} // namespace
} // namespace alxsim::alx
