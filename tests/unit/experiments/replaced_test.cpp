// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/replaced.h"

#include "base/input_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A study of a transformer, with more fields.
Study overridden_study(const std::string& fields)
{
    return study_of(parse_json(R"({"study": "s", "numerics": false,
                                   "machine": {"chip": "tpu_v5e", "cores": 4, "overrides": {"dma_latency_s": "x2"}},
                                   "workload": {"transformer": {"preset": "gpt2-small"}}, )" +
                                   fields + "}",
                               "s.json"),
                    "s.json");
}

std::string refusal_of_setting(const std::string& fields, const std::string& setting)
{
    try {
        refuse_replaced(overridden_study(fields), "--set", setting);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

constexpr const char* sweep_of_overrides =
    R"("sweep": {"/machine/overrides": [{}, {"hbm_bw_chip": "x2"}]})";

TEST(Replaced, ASettingOfWhatTheSweepSetsIsRefused)
{
    EXPECT_EQ(
        refusal_of_setting(R"("sweep": {"/machine/cores": [4, 16]})", "/machine/cores=8"),
        "--set: /machine/cores=8: would change nothing: the sweep sets /machine/cores at each "
        "point; allowed: --set '/sweep/~1machine~1cores=[8]', or /sweep={}");
    EXPECT_THAT(refusal_of_setting(sweep_of_overrides, "/machine/overrides/hbm_bw_chip=x2"),
                HasSubstr("the sweep sets /machine/overrides at each point; allowed: --set "
                          "'/sweep/~1machine~1overrides=[...]'"));
    EXPECT_THAT(refusal_of_setting(R"("sweep": {"zip": {"/machine/cores": [4, 16],
                                               "/workload/transformer/batch": [8, 32]}})",
                                   "/workload/transformer/batch=64"),
                HasSubstr("the sweep sets /workload/transformer/batch"));
}

TEST(Replaced, ASettingThatAPointHasIsAllowed)
{
    EXPECT_EQ(refusal_of_setting(sweep_of_overrides, "/machine/cores=8"), "");
    EXPECT_EQ(refusal_of_setting(sweep_of_overrides, "/machine={}"), "") << "around what is swept";
    EXPECT_EQ(refusal_of_setting(R"("sweep": {"/machine/overrides/hbm_bw_chip": ["x1", "x2"]})",
                                 "/machine/overrides/hbm_bw_chip_"),
              "")
        << "a name that begins alike";
    EXPECT_EQ(refusal_of_setting(
                  R"("series": [{"name": "a"}, {"name": "b", "set": {"/machine/cores": 8}}])",
                  "/machine/cores=16"),
              "")
        << "one series has it";
}

TEST(Replaced, ASettingThatNoSeriesHasIsRefused)
{
    EXPECT_THAT(refusal_of_setting(R"("series": [{"name": "a", "set": {"/machine/cores": 8}},
                                         {"name": "b", "sweep": {"/machine/cores": [4, 8]}}])",
                                   "/machine/cores=16"),
                HasSubstr("each series, or its sweep, sets /machine/cores"));
}

TEST(Replaced, OverridesOfTheStudyThatASweepLeavesOutAreNoted)
{
    const std::vector<PointSpec> points = expand(overridden_study(sweep_of_overrides));
    EXPECT_THAT(points.at(0).notes.at(0),
                HasSubstr("/machine/overrides as a whole: dma_latency_s"));
    EXPECT_THAT(
        expand(overridden_study(R"("sweep": {"/machine/overrides/hbm_bw_chip": ["x1", "x2"]})"))
            .at(0)
            .notes,
        IsEmpty())
        << "beside the others";
    EXPECT_THAT(
        expand(overridden_study(R"("sweep": {"/machine/overrides": [{"dma_latency_s": "x3"}]})"))
            .at(0)
            .notes,
        IsEmpty())
        << "set otherwise";
}

} // namespace
} // namespace alxsim::experiments
