// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"

#include "golden_files.h"
#include "tests/unit/alx/solver_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

constexpr std::size_t systems_of_case = 8;

/// Raw numbers of one reference case: [systems x dim x dim], [systems x dim] twice.
struct Case {
    explicit Case(const Json& golden)
        : name(golden.at("name").get<std::string>()),
          dim(golden.at("d")),
          condition(golden.at("cond")),
          matrices(golden_numbers<float>("e_cg/" + name + "_A.f32")),
          rhs(golden_numbers<float>("e_cg/" + name + "_b.f32")),
          x(golden_numbers<float>("e_cg/" + name + "_x.f32"))
    {
    }

    std::string name;
    int dim;
    double condition;
    std::vector<float> matrices, rhs, x;
};

/// Solves system s of a case; [dim].
std::vector<double> solve(const std::string& solver, const Case& golden, std::size_t s)
{
    const int dim = golden.dim;
    const int stride = spmd::padded(dim);
    const auto n = static_cast<std::size_t>(stride);
    const auto first = static_cast<std::ptrdiff_t>(s) * dim;
    spmd::FloatBuffer matrix(n * n);
    spmd::FloatBuffer rhs(n);
    spmd::FloatBuffer x(n);
    for (int i = 0; i < dim; ++i) {
        std::copy_n(golden.matrices.begin() + (first + i) * dim, dim, matrix.begin() + i * stride);
    }
    std::copy_n(golden.rhs.begin() + first, dim, rhs.begin());
    AlxConfig config;
    config.dim = dim;
    spmd::FloatBuffer scratch;
    solvers().create(solver)->solve({dim, stride, matrix.data(), rhs.data(), x.data()}, config,
                                    scratch);
    return {x.begin(), x.begin() + dim};
}

TEST(GoldenDirectSolvers, SolveTheReferenceSystems)
{
    for (const Json& json : golden_json("e_cg/cg.json")) {
        const Case golden(json);
        for (const std::string& solver : direct_solvers()) {
            for (std::size_t s = 0; s < systems_of_case; ++s) {
                const std::vector<double> x = solve(solver, golden, s);
                double largest = 0;
                double difference = 0;
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const double expected = golden.x[s * x.size() + i];
                    largest = std::max(largest, std::abs(expected));
                    difference = std::max(difference, std::abs(x[i] - expected));
                }
                // The reference stops at 1e-5 |b|, we round in f32: both times the condition.
                EXPECT_LE(difference, 2e-5 * golden.condition * largest)
                    << golden.name << " " << solver << " system " << s;
            }
        }
    }
}

} // namespace
} // namespace alxsim::alx
