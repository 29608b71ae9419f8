// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/random_projection.h"

#include "base/json_document.h"
#include "spmd/linear/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace alxsim::spmd {
namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<double> normal_numbers(std::int64_t count, std::uint64_t stream = 77)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(random_normal(stream, i));
    }
    return numbers;
}

double squared_norm(const std::vector<double>& x)
{
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

/// One of the reference's cases.
struct Moments {
    explicit Moments(const Json& json)
        : entries(json.at("kind") == "rademacher" ? RandomEntries::signs : RandomEntries::normal),
          n(json.at("n").get<Sizes>()),
          m(json.at("m").get<Sizes>()),
          x(json.at("x") == "ones" ? std::vector<double>(static_cast<std::size_t>(all(n)), 1.0)
                                   : normal_numbers(all(n))),
          expected(json)
    {
    }
    static std::int64_t all(const Sizes& sizes)
    {
        return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    }
    RandomProjection projection(std::uint64_t stream = 0) const { return {entries, n, m, stream}; }
    double of(const char* field) const { return expected.at(field); }

    RandomEntries entries;
    Sizes n, m;
    std::vector<double> x;
    Json expected;
};

class RandomProjections : public testing::Test {
protected:
    Json golden_ = load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/projection.json");
};

TEST_F(RandomProjections, HaveTheReferencesExactVariances)
{
    ASSERT_EQ(golden_.at("moments").size(), 8U);
    for (const Json& json : golden_.at("moments")) {
        const Moments moments(json);
        EXPECT_NEAR(squared_norm(moments.x), moments.of("norm2"), 1e-10) << json.dump();
        const double train = moments.of("variance_exact");
        EXPECT_NEAR(moments.projection().variance(moments.x), train, 1e-10 * train) << json.dump();
        EXPECT_NEAR(moments.projection().variance_by_pairings(moments.x), train, 1e-10 * train);
        const RandomProjection dense(moments.entries, {moments.projection().numbers()},
                                     {moments.projection().kept()}, 0);
        const double of_dense = moments.of("dense_variance_exact");
        EXPECT_NEAR(dense.variance(moments.x), of_dense, 1e-10 * of_dense) << json.dump();
    }
}

TEST_F(RandomProjections, HaveFewModesInClosedFormAsOfAnyNumber)
{
    const std::vector<double> x = normal_numbers(60);
    for (const RandomEntries entries :
         {RandomEntries::signs, RandomEntries::normal, RandomEntries::very_sparse}) {
        for (const auto& [n, m] : {std::pair<Sizes, Sizes>{{60}, {7}},
                                   {{12, 5}, {3, 2}},
                                   {{5, 12}, {4, 1}},
                                   {{1, 60}, {2, 3}}}) {
            const RandomProjection projection(entries, n, m, 0);
            const double variance = projection.variance(x);
            EXPECT_GT(variance, 0);
            EXPECT_NEAR(projection.variance_by_pairings(x), variance, 1e-12 * variance);
        }
    }
}

TEST_F(RandomProjections, DrawTheReferencesFixedOne)
{
    const Json& fixed = golden_.at("fixed");
    const RandomProjection projection(RandomEntries::signs, fixed.at("n").get<Sizes>(),
                                      fixed.at("m").get<Sizes>(), fixed.at("R_streams").at(0));
    const std::vector<double> x = normal_numbers(128);
    for (std::ptrdiff_t row = 0; row < 2; ++row) {
        const auto expected =
            fixed.at("f").at(static_cast<std::size_t>(row)).get<std::vector<double>>();
        const std::vector<double> f =
            projection.project({x.begin() + row * 64, x.begin() + (row + 1) * 64});
        ASSERT_EQ(f.size(), expected.size());
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], expected[i], 1e-12);
        }
    }
}

/// Mean and variance of |f(x)|^2 over draws, in units of what each may be off by. The error of a
/// variance follows from the draws' own fourth moment.
struct Observed {
    double mean, mean_error, variance, variance_error;
};

Observed observe(const Moments& moments, int draws)
{
    std::vector<double> found;
    for (int draw = 0; draw < draws; ++draw) {
        const auto stream = 1000 + static_cast<std::uint64_t>(draw) * moments.n.size();
        found.push_back(squared_norm(moments.projection(stream).project(moments.x)));
    }
    const auto mean_of = [&](auto of) {
        return std::accumulate(found.begin(), found.end(), 0.0,
                               [&](double sum, double value) { return sum + of(value); }) /
               draws;
    };
    const double mean = mean_of([](double value) { return value; });
    const double variance = mean_of([&](double value) { return std::pow(value - mean, 2); });
    const double fourth = mean_of([&](double value) { return std::pow(value - mean, 4); });
    return {mean, std::sqrt(variance / draws), variance,
            std::sqrt((fourth - variance * variance) / draws)};
}

TEST_F(RandomProjections, AreIsometriesInTheMeanWithThatVariance)
{
    for (const Json& json : golden_.at("moments")) {
        const Moments moments(json);
        const Observed observed = observe(moments, 20000);
        EXPECT_NEAR(observed.mean, moments.of("norm2"), 4 * observed.mean_error) << json.dump();
        EXPECT_NEAR(observed.variance, moments.of("variance_exact"), 4 * observed.variance_error)
            << json.dump();
    }
}

/// With signs the variance is the least for every x: it grows with the fourth moment of an entry.
TEST_F(RandomProjections, OfSignsSpreadTheLeast)
{
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
        const std::vector<double> x = normal_numbers(36, stream);
        const auto variance = [&](RandomEntries entries, Sizes n, Sizes m) {
            return RandomProjection(entries, std::move(n), std::move(m), 0).variance(x);
        };
        EXPECT_LT(variance(RandomEntries::signs, {6, 6}, {3, 2}),
                  variance(RandomEntries::normal, {6, 6}, {3, 2}));
        EXPECT_LT(variance(RandomEntries::signs, {2, 3, 6}, {2, 3, 2}),
                  variance(RandomEntries::normal, {2, 3, 6}, {2, 3, 2}));
    }
}

/// A product of vectors is the worst case: the variance stays where it is, however many numbers are
/// kept of one mode (not a Johnson-Lindenstrauss transform).
TEST_F(RandomProjections, OfAProductOfVectorsDoNotGetBetterWithOneModeAlone)
{
    const std::vector<double> product(64, 1.0);
    const std::vector<double> other = normal_numbers(64);
    const auto relative = [](const std::vector<double>& x, std::int64_t m) {
        return RandomProjection(RandomEntries::normal, {8, 8}, {m, 4}, 0).variance(x) /
               std::pow(squared_norm(x), 2);
    };
    EXPECT_GT(relative(product, 1 << 20), 0.49);
    EXPECT_LT(relative(other, 1 << 20), 0.2);
}

TEST_F(RandomProjections, VerySparseKeepOneEntryInSqrtN)
{
    const RandomProjection projection(RandomEntries::very_sparse, {10000}, {10}, 5);
    const std::vector<double> entries = projection.matrix(0);
    std::int64_t kept = 0;
    for (const double entry : entries) {
        if (entry != 0) {
            ++kept;
            EXPECT_NEAR(std::abs(entry), std::sqrt(100.0 / 10), 1e-12);
        }
    }
    // 1,000 are expected, with a standard deviation of 31.
    EXPECT_NEAR(static_cast<double>(kept), 1000, 4 * 31.5);
    EXPECT_NEAR(squared_norm(entries), 10000, 4 * 315);
}

} // namespace
} // namespace alxsim::spmd
