// SPDX-License-Identifier: Apache-2.0
#include "alx/normal_equations.h"

#include "alx/random.h"
#include "base/input_error.h"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace alxsim::alx {
namespace {

/// A table of 500 random rows and its Gramian.
struct Fixture {
    explicit Fixture(int dim) : store(500, dim, model::DType::f32), gramian(size(dim))
    {
        std::vector<float> row(static_cast<std::size_t>(dim));
        for (std::int64_t r = 0; r < 500; ++r) {
            for (std::size_t j = 0; j < row.size(); ++j) {
                row[j] = static_cast<float>(normal(static_cast<std::uint64_t>(r) * 1000 + j));
            }
            store.set(r, row.data());
        }
        add_gramian(store, 0, 500, gramian.data());
        for (int i = 0; i < padded(dim); ++i) {
            for (int j = 0; j < i; ++j) {
                gramian[index(i, j)] = gramian[index(j, i)];
            }
        }
    }
    static std::size_t size(int dim)
    {
        return static_cast<std::size_t>(padded(dim)) * static_cast<std::size_t>(padded(dim));
    }
    std::size_t index(int i, int j) const
    {
        return static_cast<std::size_t>(i * padded(store.dim()) + j);
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
    FloatBuffer gramian;
};

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

class NormalEquationsOf : public testing::TestWithParam<std::tuple<const char*, int>> {};

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
        std::vector<float> solution(static_cast<std::size_t>(dim));
        equations.solve({&fixture.store, nullptr, 0, links}, solution.data());
        const Eigen::VectorXd expected = textbook(fixture.dense(), links, config);
        const auto found = Eigen::Map<Eigen::VectorXf>(solution.data(), dim).cast<double>();
        EXPECT_LT((found - expected).norm(), 2e-4 * expected.norm()) << links << " links";
    }
}

INSTANTIATE_TEST_SUITE_P(SolversAndDims, NormalEquationsOf,
                         testing::Combine(testing::Values("cg", "cholesky"),
                                          testing::Values(1, 4, 16, 20, 32, 64, 128, 256)));

TEST(NormalEquations, ARowWithoutLinksIsZeroWithoutIterations)
{
    const Fixture fixture(8);
    AlxConfig config;
    config.dim = 8;
    NormalEquations equations(config);
    equations.fix(fixture.gramian, 500);
    std::vector<float> solution(8, 1.0F);
    EXPECT_EQ(equations.solve({&fixture.store, nullptr, 0, 0}, solution.data()), 0);
    EXPECT_EQ(solution, std::vector<float>(8, 0.0F));
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
    std::vector<float> named(32);
    std::vector<float> gathered(32);
    equations.solve({&fixture.store, ids.data(), 0, 100}, named.data());
    equations.solve({&fixture.store, nullptr, 17, 100}, gathered.data());
    EXPECT_EQ(named, gathered);
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
