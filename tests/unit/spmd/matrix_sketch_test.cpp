// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/matrix_sketch.h"

#include "spmd/linear/random.h"
#include "spmd/linear/random_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace alxsim::spmd {
namespace {

constexpr std::int64_t sketched_rows = 1000;
constexpr std::int64_t sketched_columns = 12;

std::vector<double> matrix(std::uint64_t stream, double scale = 1)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < sketched_rows * sketched_columns; ++i) {
        numbers.push_back(scale * random_normal(stream, i));
    }
    return numbers;
}

/// Makes a matrix of rank one.
std::vector<double> outer_product(double scale)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < sketched_rows * sketched_columns; ++i) {
        numbers.push_back(scale * random_normal(31, i / sketched_columns) *
                          random_normal(32, i % sketched_columns));
    }
    return numbers;
}

std::vector<double> sum(std::vector<double> a, const std::vector<double>& b)
{
    std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::plus<double>());
    return a;
}

double norm(const std::vector<double>& x)
{
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

workloads::MatrixSketch sketch(const std::vector<double>& x, int threads = 1)
{
    HostPool pool(threads);
    const auto read = [&](std::int64_t first, std::int64_t count, double* values) {
        std::copy_n(x.begin() + first * sketched_columns, count * sketched_columns, values);
    };
    return sketch_of("W", static_cast<std::int64_t>(x.size()) / sketched_columns, sketched_columns,
                     read, pool);
}

workloads::SketchDistance distance(const std::vector<double>& a, const std::vector<double>& b)
{
    return workloads::distances({sketch(a)}, {sketch(b)}).at(0);
}

TEST(MatrixSketches, AreProjectionsInTensorTrainFormat)
{
    const std::vector<double> x = matrix(1);
    const workloads::MatrixSketch found = sketch(x);
    ASSERT_EQ(found.draws.size(), 6U);
    for (const workloads::SketchDraw& draw : found.draws) {
        const RandomProjection projection(RandomEntries::signs, {sketched_rows, sketched_columns},
                                          {4, 16}, draw.stream);
        const std::vector<double> expected = projection.project(x);
        ASSERT_EQ(draw.numbers.size(), 64U);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(draw.numbers[i], expected[i], 1e-11 * norm(x));
        }
    }
    EXPECT_NEAR(*found.norm, norm(x), 1e-12 * norm(x));
}

TEST(MatrixSketches, AreTheSameBitsOnAnyNumberOfThreads)
{
    const std::vector<double> x = matrix(1);
    const Json one = json_of(sketch(x, 1));
    for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(json_of(sketch(x, threads)), one);
    }
}

TEST(MatrixSketches, TellThatEqualMatricesAreEqual)
{
    const workloads::SketchDistance found = distance(matrix(1), matrix(1));
    EXPECT_FALSE(found.not_comparable);
    EXPECT_EQ(found.distance, 0.0);
    EXPECT_EQ(found.relative, 0.0);
    EXPECT_EQ(found.standard_error, 0.0);
    EXPECT_EQ(found.largest_standard_error, 0.0);
}

/// Random differences, small and large, and one of rank one, of which sketches know least.
class KnownDistances : public testing::TestWithParam<std::vector<double>> {};

TEST_P(KnownDistances, LieWithinFourStandardErrors)
{
    const std::vector<double>& difference = GetParam();
    const std::vector<double> a = matrix(1);
    const workloads::SketchDistance found = distance(a, sum(a, difference));
    const double expected = norm(difference);
    EXPECT_NEAR(*found.distance, expected, 4 * *found.standard_error);
    EXPECT_GT(*found.standard_error, 0);
    EXPECT_NEAR(*found.relative, *found.distance / norm(a), 1e-12 * *found.relative);
    // What it exactly is, of which the program without the matrix knows a bound.
    const RandomProjection projection(RandomEntries::signs, {sketched_rows, sketched_columns},
                                      {4, 16}, 0);
    const double exact = std::sqrt(projection.variance(difference) / 6) / (2 * expected);
    EXPECT_NEAR(*found.distance, expected, 4 * exact);
    EXPECT_LT(exact, *found.largest_standard_error * expected / *found.distance);
    EXPECT_NEAR(*found.largest_standard_error, 0.1692 * *found.distance, 1e-4 * *found.distance);
    // With six draws its square is of 5 degrees of freedom, roughly: the chance beyond is small.
    EXPECT_GT(*found.standard_error, exact / 4);
    EXPECT_LT(*found.standard_error, exact * 3);
}

INSTANTIATE_TEST_SUITE_P(Differences, KnownDistances,
                         testing::Values(matrix(2, 1e-6), matrix(3, 0.1), matrix(4, 1),
                                         outer_product(1e-3), outer_product(1)));

TEST(MatrixSketches, AreUnbiasedOverManyDraws)
{
    // What the bound rests on: over 400 draws of a matrix of rank one, mean and variance of |f|^2.
    const std::vector<double> x = outer_product(1);
    const double square = norm(x) * norm(x);
    double mean = 0;
    double variance = 0;
    constexpr int draws = 400;
    for (int draw = 0; draw < draws; ++draw) {
        const RandomProjection projection(RandomEntries::signs, {sketched_rows, sketched_columns},
                                          {4, 16}, 1000 + 2 * static_cast<std::uint64_t>(draw));
        const double ratio = std::pow(norm(projection.project(x)), 2) / square;
        mean += ratio / draws;
        variance += (ratio - 1) * (ratio - 1) / draws;
    }
    EXPECT_NEAR(mean, 1, 4 * 0.83 / std::sqrt(draws));
    EXPECT_LT(variance, 0.6875 * 1.3);
    EXPECT_GT(variance, 0.3);
}

TEST(MatrixSketches, SayWhyTheyAreNotComparable)
{
    const workloads::MatrixSketch a = sketch(matrix(1));
    const auto why = [&](const workloads::MatrixSketch& b) {
        const workloads::SketchDistance found = workloads::distances({a}, {b}).at(0);
        EXPECT_FALSE(found.distance);
        return found.not_comparable.value_or("");
    };
    workloads::MatrixSketch other = a;
    other.rows = 999;
    EXPECT_EQ(why(other), "A's has 1000 x 12 numbers, B's 999 x 12");
    other = a;
    other.kept = {8, 8};
    EXPECT_EQ(why(other), "A's sketch keeps 4 x 16 numbers, B's 8 x 8");
    other = a;
    other.draws.front().stream += 2;
    EXPECT_EQ(why(other), "their sketches were not drawn from the same seeds, two or more");
    other = a;
    other.draws.pop_back();
    EXPECT_NE(why(other), "");
    std::vector<double> broken = matrix(1);
    broken[17] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(why(sketch(broken)), "B's has numbers that are not finite");
    EXPECT_TRUE(sketch(broken).draws.empty());
    other = a;
    other.matrix = "H";
    EXPECT_TRUE(workloads::distances({a}, {other}).empty());
}

TEST(MatrixSketches, HaveRowsForWhichThereAreRandomNumbers)
{
    HostPool pool(1);
    EXPECT_THROW(sketch_of("W", most_sketched_rows + 1, 1, {}, pool), std::logic_error);
}

TEST(MatrixSketches, AreReadAsTheyAreWritten)
{
    const workloads::MatrixSketch a = sketch(matrix(1));
    workloads::MatrixSketch read;
    read_json(Json::parse(json_of(a).dump()), read);
    EXPECT_EQ(workloads::distances({a}, {read}).at(0).distance, 0.0);
}

} // namespace
} // namespace alxsim::spmd
