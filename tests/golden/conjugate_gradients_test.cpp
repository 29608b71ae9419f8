// SPDX-License-Identifier: Apache-2.0
#include "alx/solvers/solver.h"

#include "golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

constexpr std::size_t systems = 8;

/// Solves system s of a case and returns the iterations.
std::int64_t solve(int dim, const float* matrix, const float* rhs, std::vector<float>& x)
{
    const int stride = spmd::padded(dim);
    const auto n = static_cast<std::size_t>(stride);
    spmd::FloatBuffer padded_matrix(n * n);
    spmd::FloatBuffer padded_rhs(n);
    spmd::FloatBuffer padded_x(n);
    for (int i = 0; i < dim; ++i) {
        std::copy_n(matrix + i * dim, dim, padded_matrix.begin() + i * stride);
    }
    std::copy_n(rhs, dim, padded_rhs.begin());
    AlxConfig config;
    config.dim = dim;
    spmd::FloatBuffer scratch;
    const std::int64_t iterations = solvers().create("cg")->solve(
        {dim, stride, padded_matrix.data(), padded_rhs.data(), padded_x.data()}, config, scratch);
    x.assign(padded_x.begin(), padded_x.begin() + dim);
    return iterations;
}

TEST(GoldenConjugateGradients, IterationsAndSolutions)
{
    for (const Json& golden : golden_json("e_cg/cg.json")) {
        const auto name = golden.at("name").get<std::string>();
        const int dim = golden.at("d");
        const double condition = golden.at("cond");
        const auto matrices = golden_numbers<float>("e_cg/" + name + "_A.f32");
        const auto rhs = golden_numbers<float>("e_cg/" + name + "_b.f32");
        const auto expected_x = golden_numbers<float>("e_cg/" + name + "_x.f32");
        for (std::size_t s = 0; s < systems; ++s) {
            const std::size_t first = s * static_cast<std::size_t>(dim);
            std::vector<float> x;
            const std::int64_t iterations =
                solve(dim, matrices.data() + first * static_cast<std::size_t>(dim),
                      rhs.data() + first, x);
            const double expected = golden.at("iters_f32").at(s);
            EXPECT_NEAR(static_cast<double>(iterations), expected,
                        condition <= 100 ? 3.0 : std::max(3.0, 0.1 * expected))
                << name << " system " << s;
            float largest = 0;
            float difference = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                largest = std::max(largest, std::abs(expected_x[first + i]));
                difference = std::max(difference, std::abs(x[i] - expected_x[first + i]));
            }
            EXPECT_LE(difference, 1e-4F * largest) << name << " system " << s;
        }
    }
}

} // namespace
} // namespace alxsim::alx
