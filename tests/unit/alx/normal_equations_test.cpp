// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/normal_equations.h"

#include "alx/solvers/solver.h"
#include "alx/strategies/statistics.h"
#include "base/input_error.h"
#include "base/numbers/bf16.h"
#include "base/numbers/random.h"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace alxsim::alx {
namespace {

/// A table of 500 random rows and its Gramian.
struct Fixture {
    explicit Fixture(int dim)
        : store(500, dim, model::DType::f32),
          gramian(static_cast<std::size_t>(dim) * static_cast<std::size_t>(dim))
    {
        std::vector<float> row(static_cast<std::size_t>(dim));
        for (std::int64_t r = 0; r < 500; ++r) {
            for (std::size_t j = 0; j < row.size(); ++j) {
                row[j] = static_cast<float>(normal(static_cast<std::uint64_t>(r) * 1000 + j));
            }
            store.set(r, row.data());
        }
        spmd::FloatBuffer upper(static_cast<std::size_t>(spmd::padded(dim)) *
                                static_cast<std::size_t>(spmd::padded(dim)));
        add_gramian(store, 0, 500, exact_products, upper.data());
        for (int i = 0; i < dim; ++i) {
            for (int j = i; j < dim; ++j) {
                const double value = upper[static_cast<std::size_t>(i * spmd::padded(dim) + j)];
                gramian[static_cast<std::size_t>(i * dim + j)] = value;
                gramian[static_cast<std::size_t>(j * dim + i)] = value;
            }
        }
    }
    Eigen::MatrixXd dense() const
    {
        Eigen::MatrixXd matrix(500, store.dim());
        std::vector<float> row(static_cast<std::size_t>(store.dim()));
        for (int r = 0; r < 500; ++r) {
            store.get(r, row.data());
            for (int j = 0; j < store.dim(); ++j) {
                matrix(r, j) = row[static_cast<std::size_t>(j)];
            }
        }
        return matrix;
    }

    RowStore store;
    std::vector<double> gramian; ///< [dim x dim]
};

/// The solution as f32.
std::vector<float> solve(const NormalEquations& equations, int dim, const GatheredRows& rows,
                         std::int64_t* iterations = nullptr)
{
    RowStore target(1, dim, model::DType::f32);
    const std::int64_t taken = equations.solve(rows, target, 0);
    if (iterations) {
        *iterations = taken;
    }
    std::vector<float> solution(static_cast<std::size_t>(dim));
    target.get(0, solution.data());
    return solution;
}

/// (H_S^T H_S + alpha H^T H + reg (n + alpha N) I) w = H_S^T 1, in f64.
Eigen::VectorXd textbook(const Eigen::MatrixXd& table, int links, const AlxConfig& config)
{
    const Eigen::MatrixXd linked = table.topRows(links);
    const double reg = config.reg * (links + config.alpha * 500);
    const auto dim = table.cols();
    const Eigen::MatrixXd matrix = linked.transpose() * linked +
                                   config.alpha * table.transpose() * table +
                                   reg * Eigen::MatrixXd::Identity(dim, dim);
    return matrix.llt().solve(linked.transpose() * Eigen::VectorXd::Ones(links));
}

class NormalEquationsOf : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(NormalEquationsOf, SolvesTheTextbookSystem)
{
    const auto [solver, dim] = GetParam();
    const Fixture fixture(dim);
    AlxConfig config;
    config.dim = dim;
    config.solver = solver;
    config.reg = 0.01; // well conditioned, so that f32 suffices
    config.alpha = 0.1;
    NormalEquations equations(config);
    equations.fix(fixture.gramian, 500);
    for (const int links : {1, 63, 64, 200}) {
        const std::vector<float> solution =
            solve(equations, dim, {&fixture.store, nullptr, 0, links});
        const Eigen::VectorXd expected = textbook(fixture.dense(), links, config);
        const auto found = Eigen::Map<const Eigen::VectorXf>(solution.data(), dim).cast<double>();
        EXPECT_LT((found - expected).norm(), 2e-4 * expected.norm()) << links << " links";
    }
}

INSTANTIATE_TEST_SUITE_P(SolversAndDims, NormalEquationsOf,
                         testing::Combine(testing::ValuesIn(solvers().names()),
                                          testing::Values(1, 4, 16, 20, 32, 64, 128, 256)));

/// A link of weight 3 says what three links of weight 1 say, to the regularizer, too.
TEST(NormalEquations, AWholeWeightIsThatManyLinks)
{
    const Fixture fixture(8);
    AlxConfig config;
    config.dim = 8;
    config.solver = "cholesky";
    config.reg = 0.01;
    for (const model::DType dtype : {model::DType::f32, model::DType::f64}) {
        config.solve_dtype = dtype;
        NormalEquations equations(config);
        equations.fix(fixture.gramian, 500);
        const std::vector<std::int32_t> once{3, 5, 70, 90};
        const std::vector<std::int32_t> often{3, 3, 3, 5, 70, 70, 90, 90, 90, 90};
        const std::vector<float> counts{3, 1, 2, 4};
        GatheredRows weighted{&fixture.store, once.data(), 0, 4};
        weighted.weights = counts.data();
        const std::vector<float> found = solve(equations, 8, weighted);
        const std::vector<float> expected =
            solve(equations, 8, {&fixture.store, often.data(), 0, 10});
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], expected[i], 1e-5 * std::abs(expected[i]) + 1e-7);
        }
    }
}

TEST(NormalEquations, WeightsOfOneChangeNoBit)
{
    for (const model::DType solved : {model::DType::f32, model::DType::f64, model::DType::bf16}) {
        for (const int passes : {1, 3, 6, exact_products}) {
            const Fixture fixture(20);
            AlxConfig config;
            config.dim = 20;
            config.solve_dtype = solved;
            config.matmul_passes = passes;
            NormalEquations equations(config);
            equations.fix(fixture.gramian, 500);
            const std::vector<float> ones(200, 1.0F);
            const GatheredRows plain{&fixture.store, nullptr, 0, 200};
            GatheredRows weighted = plain;
            weighted.weights = ones.data();
            EXPECT_EQ(solve(equations, 20, weighted), solve(equations, 20, plain)) << passes;
        }
    }
}

TEST(NormalEquations, ARowWithoutLinksIsZeroWithoutIterations)
{
    const Fixture fixture(8);
    AlxConfig config;
    config.dim = 8;
    NormalEquations equations(config);
    equations.fix(fixture.gramian, 500);
    std::int64_t iterations = -1;
    EXPECT_EQ(solve(equations, 8, {&fixture.store, nullptr, 0, 0}, &iterations),
              std::vector<float>(8, 0.0F));
    EXPECT_EQ(iterations, 0);
}

TEST(NormalEquations, TwoRowsGiveTheBitsOfEach)
{
    for (const model::DType dtype : {model::DType::f32, model::DType::f64, model::DType::bf16}) {
        const Fixture fixture(20);
        AlxConfig config;
        config.dim = 20;
        config.solve_dtype = dtype;
        NormalEquations equations(config);
        equations.fix(fixture.gramian, 500);
        EXPECT_EQ(equations.solves_by_two(), dtype == model::DType::f32);
        for (const std::int64_t links : {0, 1, 300}) {
            const std::array<GatheredRows, 2> rows{GatheredRows{&fixture.store, nullptr, 0, 70},
                                                   GatheredRows{&fixture.store, nullptr, 9, links}};
            RowStore target(2, 20, model::DType::f32);
            const auto iterations = equations.solve_two(rows, target, {1, 0});
            for (const std::size_t i : {0, 1}) {
                std::int64_t expected = 0;
                std::vector<float> solution(20);
                target.get(static_cast<std::int64_t>(1 - i), solution.data());
                EXPECT_EQ(solution, solve(equations, 20, rows[i], &expected)) << links;
                EXPECT_EQ(iterations[i], expected) << links;
            }
        }
    }
}

TEST(NormalEquations, RowsNamedByIdGiveTheSameBitsAsGatheredOnes)
{
    const Fixture fixture(32);
    AlxConfig config;
    config.dim = 32;
    NormalEquations equations(config);
    equations.fix(fixture.gramian, 500);
    std::vector<std::int32_t> ids(100);
    std::iota(ids.begin(), ids.end(), 17);
    EXPECT_EQ(solve(equations, 32, {&fixture.store, ids.data(), 0, 100}),
              solve(equations, 32, {&fixture.store, nullptr, 17, 100}));
}

/// Distance from the textbook's solution of 200 links, relative.
double error_with(AlxConfig config)
{
    const Fixture fixture(32);
    config.dim = 32;
    config.table_dtype = model::DType::f32;
    config.solver = "cholesky";
    NormalEquations equations(config);
    equations.fix(fixture.gramian, 500);
    const std::vector<float> solution = solve(equations, 32, {&fixture.store, nullptr, 0, 200});
    const Eigen::VectorXd expected = textbook(fixture.dense(), 200, config);
    return (Eigen::Map<const Eigen::VectorXf>(solution.data(), 32).cast<double>() - expected)
               .norm() /
           expected.norm();
}

TEST(MatmulPasses, EachMorePassIsNearer)
{
    AlxConfig config;
    config.matmul_passes = 1;
    const double one = error_with(config);
    config.matmul_passes = 3;
    const double three = error_with(config);
    config.matmul_passes = 6;
    const double six = error_with(config);
    EXPECT_GT(one, 1e-5);
    EXPECT_LT(three, one / 10);
    EXPECT_LT(six, 2e-6);
    EXPECT_LE(six, three);
}

TEST(SolveDType, F64IsNearerThanF32AndBf16Farther)
{
    for (const std::string& solver : solvers().names()) {
        const Fixture fixture(16);
        AlxConfig config;
        config.dim = 16;
        config.table_dtype = model::DType::f64;
        config.solver = solver;
        config.reg = 0.01;
        config.cg.tolerance = 1e-12;
        const Eigen::VectorXd expected = textbook(fixture.dense(), 100, config);
        const auto error = [&](model::DType dtype) {
            config.solve_dtype = dtype;
            NormalEquations equations(config);
            equations.fix(fixture.gramian, 500);
            RowStore target(1, 16, model::DType::f64);
            equations.solve({&fixture.store, nullptr, 0, 100}, target, 0);
            std::vector<double> solution(16);
            target.get(0, solution.data());
            return (Eigen::Map<const Eigen::VectorXd>(solution.data(), 16) - expected).norm() /
                   expected.norm();
        };
        // The Gramian was summed in f32.
        EXPECT_LT(error(model::DType::f64), 1e-5) << solver;
        const double coarse = error(model::DType::bf16);
        EXPECT_GT(coarse, 1e-3) << solver;
        EXPECT_LT(coarse, 0.5) << solver;
    }
}

/// 300 links to the number 1 with reg 1 and alpha 0: w = s / (s + 300), s the sum of ones. A bf16
/// has 8 bits: sums of so many links are added up until a window is less than half a step.
TEST(SolveDType, InBf16SumsAreRoundedWhereAStatisticWritesThem)
{
    RowStore ones(300, 1, model::DType::bf16);
    for (int row = 0; row < 300; ++row) {
        ones.set(row, std::vector<float>{1.0F}.data());
    }
    std::set<float> found;
    for (const std::string& name : statistics_strategies().names()) {
        AlxConfig config;
        config.dim = 1;
        config.alpha = 0;
        config.reg = 1;
        config.solver = "cholesky";
        config.solve_dtype = model::DType::bf16;
        config.statistics = name;
        config.batch = {512, 1, 64};
        NormalEquations equations(config);
        equations.fix({300.0}, 300);
        const std::int64_t links =
            statistics_strategies().create(name)->links_per_sum(config.batch);
        float sum = 0;
        for (std::int64_t begin = 0; begin < 300; begin += links) {
            sum = to_float(
                to_bf16(sum + static_cast<float>(std::min<std::int64_t>(links, 300 - begin))));
        }
        const float solution = solve(equations, 1, {&ones, nullptr, 0, 300}).front();
        EXPECT_NEAR(solution, sum / (sum + 300), 0.01) << name;
        found.insert(solution);
    }
    EXPECT_GT(*found.rbegin() - *found.begin(), 0.03F); // 256 / 556 line by line, else 1 / 2
}

TEST(Solvers, AnUnknownNameIsRefusedWithTheKnownOnes)
{
    AlxConfig config;
    config.solver = "cholesk";
    try {
        NormalEquations equations(config);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("/workload/alx/solver"),
                                                 testing::HasSubstr("found 'cholesk'"),
                                                 testing::HasSubstr("cg, cholesky"),
                                                 testing::HasSubstr("did you mean 'cholesky'")));
    }
}

} // namespace
} // namespace alxsim::alx
