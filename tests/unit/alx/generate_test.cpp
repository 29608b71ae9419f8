// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generate.h"

#include "alx/data/matrix_statistics.h"
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
    EXPECT_EQ(refusal({100, 100, 100, 1}),
              "/workload/dataset/generate/links: found 100, allowed is 101 to 1299 for 100 rows of "
              "1 or more of 100 columns");
    EXPECT_EQ(refusal({1, 100, 100, 1}),
              "/workload/dataset/generate/rows: found 1, allowed is 2 to 2147483647");
    EXPECT_EQ(refusal({1000, 1000, 100000, 1, 2.2, 2.0, 1.0})
                  .rfind("/workload/dataset/generate/locality: found 1.000000, allowed is ", 0),
              0U);
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
