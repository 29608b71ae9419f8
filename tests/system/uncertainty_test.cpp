// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

/// The band of a result, and what it rests on.
namespace alxsim::testing {
namespace {

Json banded_point(const Json& overrides, std::uint64_t seed)
{
    const Json study{{"study", "band"},
                     {"seed", seed},
                     {"numerics", false},
                     {"fidelity", "analytic"},
                     {"machine", {{"chip", "tpu_v3"}, {"cores", 32}, {"overrides", overrides}}},
                     {"workload", {{"dataset", {{"webgraph", "in-dense"}}}}}};
    return run_one_point(study);
}

double width(const Json& point)
{
    return point.at("epoch_seconds_high").get<double>() /
           point.at("epoch_seconds_low").get<double>();
}

TEST(Uncertainty, TheBandHoldsTheEpochAndTheRankingBeginsWithWhatMattersMost)
{
    const Json point = banded_point(Json::object(), 1);
    EXPECT_LT(point.at("epoch_seconds_low"), point.at("epoch_seconds"));
    EXPECT_GT(point.at("epoch_seconds_high"), point.at("epoch_seconds"));
    const Json& ranking = point.at("uncertainty").at("ranking");
    ASSERT_GE(ranking.size(), 3U);
    for (std::size_t i = 1; i < ranking.size(); ++i) {
        EXPECT_GE(ranking.at(i - 1).at("swing"), ranking.at(i).at("swing"));
    }
}

/// What the band is made of: by itself, each unknown explains a share of how the draws vary.
TEST(Uncertainty, SharesOfTheBandAddUpToAtMostAllOfIt)
{
    const Json point = banded_point(Json::object(), 1);
    double all = 0;
    double most = 0;
    for (const Json& unknown : point.at("uncertainty").at("ranking")) {
        const double share = unknown.at("share_of_band");
        EXPECT_GE(share, 0);
        all += share;
        most = std::max(most, share);
    }
    EXPECT_GT(most, 0.2);
    EXPECT_GT(all, 0.5);
    EXPECT_LT(all, 1.1); // the columns of a Latin hypercube are nearly independent
}

TEST(Uncertainty, IsNotDrawnWithoutABand)
{
    const TemporaryFolder folder;
    const std::string study = folder.write("s.json", R"({"study": "band", "numerics": false,
        "fidelity": "analytic", "machine": {"chip": "tpu_v3", "cores": 32},
        "workload": {"dataset": {"webgraph": "in-dense"}}})");
    const std::string out = folder.path("out");
    ASSERT_EQ(run_program({"run", study, "-o", out, "--quiet", "--no-band"}).exit_code, 0);
    const Json point = load_json(out + "/report.json").at("points").at(0);
    for (const char* of_band :
         {"epoch_seconds_low", "epoch_seconds_high", "uncertainty", "drawn"}) {
        EXPECT_FALSE(point.contains(of_band)) << of_band;
    }
    EXPECT_EQ(point.at("epoch_seconds"), banded_point(Json::object(), 1).at("epoch_seconds"));
}

TEST(Uncertainty, WhatTheUserSettlesIsNoLongerUnknownAndNarrowsTheBand)
{
    const Json open = banded_point(Json::object(), 1);
    const Json settled = banded_point({{"dma_latency_s", 4.6e-7}}, 1);
    EXPECT_LT(width(settled), width(open));
    for (const Json& unknown : settled.at("uncertainty").at("ranking")) {
        EXPECT_NE(unknown.at("name"), "dma_latency_s");
    }
    EXPECT_EQ(settled.at("epoch_seconds"), open.at("epoch_seconds")) << "it was settled as assumed";
}

TEST(Uncertainty, CountsOnlyWhatTheProgramCanBeChangedBy)
{
    const auto inputs_of = [](const Json& ops, const Json& overrides = Json::object()) {
        const Json point = run_one_point(
            {{"study", "own"},
             {"fidelity", "analytic"},
             {"machine", {{"chip", "tpu_v5e"}, {"cores", 16}, {"overrides", overrides}}},
             {"workload", {{"op_graph", {{"ops", ops}}}}}});
        const Json& told = point.at("uncertainty");
        return std::pair(told.at("ranking").size() + told.at("unlisted").get<std::size_t>(),
                         told.at("ranking").dump());
    };
    const Json vector{{"work", "vector"}, {"elements", 1 << 20}, {"ops_per_element", 4}};
    const Json copy{{"work", "copy"}, {"bytes", 1 << 24}, {"from", "hbm"}, {"to", "host"}};
    const auto [of_vector, vector_names] = inputs_of(Json::array({vector}));
    const auto [of_both, both_names] = inputs_of(Json::array({vector, copy}));
    EXPECT_EQ(vector_names.find("host_dram_bw_host"), std::string::npos);
    EXPECT_NE(both_names.find("host_dram_bw_host"), std::string::npos);
    // What is settled is one less where the program has a use for it, and none less where not.
    const Json settled{{"host_dram_bw_host", 1.6e11}};
    EXPECT_EQ(inputs_of(Json::array({vector}), settled).first, of_vector);
    EXPECT_EQ(inputs_of(Json::array({vector, copy}), settled).first, of_both - 1);
}

TEST(Uncertainty, AnotherSeedMovesTheEndsOfTheBandByLessThanHalf)
{
    // The lengths of rows are drawn with the seed, too.
    const Json one = banded_point(Json::object(), 1);
    const Json two = banded_point(Json::object(), 2);
    for (const char* end : {"epoch_seconds_low", "epoch_seconds_high"}) {
        EXPECT_NEAR(one.at(end).get<double>() / two.at(end).get<double>(), 1, 0.4) << end;
    }
}

} // namespace
} // namespace alxsim::testing
