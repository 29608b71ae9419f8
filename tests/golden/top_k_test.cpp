// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/top_k.h"

#include "golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace alxsim::alx {
namespace {

using Ids = std::vector<std::int32_t>;

/// The rows of scores of the reference file.
class GoldenTopK : public ::testing::Test {
protected:
    void SetUp() override
    {
        golden = golden_json("f_topk/topk.json");
        const auto numbers = golden_numbers<float>("f_topk/scores.f32");
        const std::size_t rows = golden.at("scores_shape").at(0);
        const std::size_t columns = golden.at("scores_shape").at(1);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(row * columns);
            scores.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
        }
    }

    static std::vector<Scored> exact(const std::vector<float>& row, int k, std::int32_t first)
    {
        TopK top(k);
        for (std::size_t i = 0; i < row.size(); ++i) {
            top.offer(row[i], first + static_cast<std::int32_t>(i));
        }
        return top.take();
    }

    static Ids ids_of(const std::vector<Scored>& list)
    {
        Ids ids;
        std::transform(list.begin(), list.end(), std::back_inserter(ids),
                       [](const Scored& one) { return one.id; });
        return ids;
    }

    Json golden;
    std::vector<std::vector<float>> scores;
};

TEST_F(GoldenTopK, ExactAndApproximate)
{
    for (const int k : {10, 20, 50}) {
        const Json& expected = golden.at("k" + std::to_string(k));
        for (std::size_t row = 0; row < scores.size(); ++row) {
            EXPECT_EQ(ids_of(exact(scores[row], k, 0)),
                      expected.at("exact_ids").at(row).get<Ids>());
            const std::vector<Scored> found = approximate_top_k(scores[row], k);
            EXPECT_EQ(ids_of(found), expected.at("approx_ids").at(row).get<Ids>()) << "k " << k;
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_EQ(found[i].score, expected.at("approx_scores").at(row).at(i).get<float>());
            }
        }
    }
}

TEST_F(GoldenTopK, WindowsBeyondTheEndSendTheirFirstPlace)
{
    for (std::size_t row = 0; row < scores.size(); ++row) {
        std::vector<float> few = scores[row];
        few.resize(40);
        EXPECT_EQ(ids_of(approximate_top_k(few, 50)),
                  golden.at("k50_only_first_40_columns").at("approx_ids").at(row).get<Ids>());
    }
}

TEST_F(GoldenTopK, ShardsAreMergedWithTiesToTheLargerPlace)
{
    const Json& expected = golden.at("merge_M4_k10");
    const std::size_t shard = expected.at("shard");
    for (std::size_t row = 0; row < scores.size(); ++row) {
        std::vector<float> padded = scores[row];
        padded.push_back(expected.at("column_403_score").get<float>());
        std::vector<std::vector<Scored>> lists;
        for (std::size_t first = 0; first < padded.size(); first += shard) {
            const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(first);
            lists.push_back(exact({begin, begin + static_cast<std::ptrdiff_t>(shard)}, 10,
                                  static_cast<std::int32_t>(first)));
        }
        EXPECT_EQ(ids_of(merge_shards(lists, 10)), expected.at("top_ids").at(row).get<Ids>());
    }
}

} // namespace
} // namespace alxsim::alx
