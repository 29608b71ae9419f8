// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/point.h"
#include "topologies/preset.h"

#include "topologies/row_pipeline.h"

#include <gtest/gtest.h>

/// Overrides of a study that leave the machine as it is.
namespace alxsim::experiments {
namespace {

Json study_on(const std::string& chip, bool band)
{
    return {{"study", "overrides"},
            {"numerics", false},
            {"fidelity", "analytic"},
            {"band", band},
            {"machine", {{"chip", chip}, {"cores", 16}}},
            {"workload",
             {{"dataset", {{"shape", {{"rows", 4000}, {"columns", 3000}, {"links", 60000}}}}},
              {"alx", {{"dim", 32}}}}}};
}

/// What comes out, without the words on it.
std::string numbers_of(Json study, const Json& overrides)
{
    study["machine"]["overrides"] = overrides;
    report::Point point = run_point(point_study(study, "study.json"), {}).point;
    point.notes.clear();
    return json_of(point).dump();
}

class OverrideWithItself : public ::testing::TestWithParam<std::string> {};

TEST_P(OverrideWithItself, ChangesNoTimeWhicheverTheValue)
{
    const topologies::Preset preset = topologies::Preset::load(GetParam());
    const Json study = study_on(GetParam(), false);
    const std::string untouched = numbers_of(study, Json::object());
    for (const std::string& key : preset.keys()) {
        if (topologies::follows_dma_latency(preset, key)) {
            continue; // written rounded; an override counts as it is
        }
        EXPECT_EQ(numbers_of(study, {{key, preset.at(key).value}}), untouched) << key;
    }
}

TEST_P(OverrideWithItself, AsAFactorOfOneChangesNoBitOfTheBandEither)
{
    const topologies::Preset preset = topologies::Preset::load(GetParam());
    const Json study = study_on(GetParam(), true);
    Json all = Json::object();
    for (const std::string& key : preset.keys()) {
        if (topologies::follows_dma_latency(preset, key)) {
            continue; // written rounded; an override counts as it is
        }
        if (preset.at(key).value.is_number()) {
            all[key] = "x1";
        }
    }
    EXPECT_EQ(numbers_of(study, all), numbers_of(study, Json::object()));
}

INSTANTIATE_TEST_SUITE_P(Chips, OverrideWithItself,
                         ::testing::Values("tpu_v3", "tpu_v4", "tpu_v5e"));

TEST(DoubledLinks, AreTwiceAsFastForMessages)
{
    const Json study = study_on("tpu_v5e", false);
    EXPECT_EQ(numbers_of(study, {{"ici_link_bw_oneway", "x2"}}),
              numbers_of(study, {{"ici_link_bw_oneway", 9e10}}));
}

} // namespace
} // namespace alxsim::experiments
