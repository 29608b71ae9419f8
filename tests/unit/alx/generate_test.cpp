// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"

#include "alx/data/matrix_rows.h"
#include "alx/data/matrix_statistics.h"
#include "alx/workload/dataset_statistics.h"
#include "base/input_error.h"
#include "base/numbers/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

struct Wanted {
    const char* name;
    GenerateConfig config;
};

void PrintTo(const Wanted& wanted, std::ostream* out)
{
    *out << wanted.name;
}

class Generate : public testing::TestWithParam<Wanted> {};

TEST_P(Generate, StatisticsAreThoseAskedFor)
{
    const GenerateConfig& config = GetParam().config;
    const SparseMatrix matrix = generate(config, 7);
    EXPECT_EQ(matrix.rows, config.rows);
    EXPECT_EQ(matrix.columns, config.columns);
    EXPECT_EQ(matrix.links(), config.links);
    const std::vector<std::int64_t> lengths = row_lengths(matrix);
    EXPECT_GE(*std::min_element(lengths.begin(), lengths.end()), config.min_links);
    EXPECT_NEAR(locality(matrix), config.locality, 0.005);
    EXPECT_NEAR(fit_tail(lengths).exponent, config.row_exponent, 0.2);
    EXPECT_NEAR(fit_tail(column_lengths(matrix)).exponent, config.column_exponent, 0.3);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const std::vector<std::int32_t> ids = matrix.ids(row);
        ASSERT_EQ(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()), ids.end())
            << "ids of a row ascend";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Webs, Generate,
    testing::Values(Wanted{"OfTheStudyFile", {10000, 8000, 200000, 1, 2.2, 2.0, 0.8}},
                    Wanted{"Unlocal", {20000, 20000, 300000, 5, 2.5, 2.2, 0.3}},
                    Wanted{"Small", {2000, 1500, 30000, 1, 2.2, 2.2, 0.6}}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Generator, DependsOnTheSeedAlone)
{
    const GenerateConfig config{500, 400, 6000, 1, 2.2, 2.0, 0.6};
    EXPECT_TRUE(generate(config, 1).lists == generate(config, 1).lists);
    EXPECT_TRUE(generate(config, 1).lists != generate(config, 2).lists);
}

std::string refusal(const GenerateConfig& config)
{
    try {
        generate(config, 1);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Generator, WhatNoMatrixCanBeIsRefused)
{
    EXPECT_EQ(refusal({100, 100, 99, 1}),
              "/workload/dataset/generate/links: found 99, allowed is 100 to 10000 for 100 rows of "
              "1 or more of 100 columns");
    EXPECT_EQ(refusal({0, 100, 100, 1}),
              "/workload/dataset/generate/rows: found 0, allowed is 1 to 2147483647");
    EXPECT_EQ(refusal({10, 2, 20, 3}),
              "/workload/dataset/generate/min_links: found 3, allowed is 0 to 2, the columns");
    EXPECT_EQ(refusal({1000, 1000, 100000, 1, 2.2, 2.0, 1.0})
                  .rfind("/workload/dataset/generate/locality: found 1.000000, allowed is ", 0),
              0U);
}

/// A matrix with about this share of its places filled, near the diagonal or anywhere, by rows of
/// equal or of any length.
SparseMatrix random_matrix(SplitMix64& random)
{
    SparseMatrix matrix;
    matrix.columns = static_cast<std::int32_t>(1 + random.below(60));
    const auto rows = static_cast<std::int32_t>(1 + random.below(60));
    const bool regular = random.below(3) == 0;
    const bool local = random.below(2) == 0;
    const auto some = 1 + random.below(static_cast<std::uint64_t>(matrix.columns));
    for (std::int32_t row = 0; row < rows; ++row) {
        const std::uint64_t length = regular ? some : random.below(some + 1);
        std::vector<std::int32_t> ids;
        for (std::uint64_t i = 0; i < length; ++i) {
            const auto step = local ? i : i * static_cast<std::uint64_t>(matrix.columns) / length;
            ids.push_back(static_cast<std::int32_t>((static_cast<std::uint64_t>(row) + step) %
                                                    static_cast<std::uint64_t>(matrix.columns)));
        }
        std::sort(ids.begin(), ids.end());
        matrix.append(ids);
    }
    return matrix;
}

/// Makes a matrix of 60 x 50 places.
SparseMatrix single_link(std::int32_t place)
{
    SparseMatrix matrix;
    matrix.columns = 50;
    for (std::int32_t row = 0; row < 60; ++row) {
        matrix.append(row == place / 50 ? std::vector{place % 50} : std::vector<std::int32_t>());
    }
    return matrix;
}

TEST(Generator, TakesWhatStatisticsSayOfAnyMatrixThatHasLinks)
{
    SplitMix64 random(11);
    for (int i = 0; i < 3000; ++i) {
        const SparseMatrix matrix = i < 300 ? single_link(10 * i) : random_matrix(random);
        if (matrix.links() == 0) {
            continue;
        }
        MatrixSummary summary(size_of(matrix));
        for_each_row(matrix, [&](const std::vector<std::int32_t>& ids) { summary.add(ids); });
        const GenerateConfig like = summary.config_like();
        const SparseMatrix made = generate(like, static_cast<std::uint64_t>(i));
        ASSERT_EQ(made.rows, matrix.rows) << i;
        ASSERT_EQ(made.columns, matrix.columns) << i;
        ASSERT_EQ(made.links(), matrix.links()) << i;
        const std::vector<std::int64_t> lengths = row_lengths(made);
        ASSERT_GE(*std::min_element(lengths.begin(), lengths.end()), like.min_links) << i;
    }
}

TEST(FitTail, FindsTheExponentOfAPowerLaw)
{
    std::vector<std::int64_t> lengths;
    SplitMix64 random(4);
    for (int i = 0; i < 20000; ++i) {
        lengths.push_back(
            std::llround(9.5 * std::pow(to_unit_interval(random.next()), -1 / (2.4 - 1))));
    }
    EXPECT_NEAR(fit_tail(lengths).exponent, 2.4, 0.08);
    EXPECT_EQ(fit_tail({1, 2, 3}).samples, 0);
}

TEST(Locality, IsTheShareOfLinksNearby)
{
    SparseMatrix matrix{0, 100};
    matrix.append({3, 8, 9, 50});
    EXPECT_DOUBLE_EQ(locality(matrix), 0.5) << "columns 0 to 8 are near row 0";
}

} // namespace
} // namespace alxsim::alx
