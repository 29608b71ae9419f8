// SPDX-License-Identifier: Apache-2.0
#include "topologies/describe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace alxsim::topologies {
namespace {

bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST(DescribeChips, ShowsEveryPresetOnALine)
{
    const std::string text = describe_chips();
    for (const std::string& name : Preset::names()) {
        EXPECT_TRUE(has(text, "\n" + name + " ")) << text;
    }
    EXPECT_TRUE(has(text, "32x32 (1024 chips)")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << text;
}

TEST(DescribeChip, ShowsEveryValueWithBandUnitKindAndSource)
{
    Preset preset = Preset::load("tpu_v3");
    preset.override_value("clock_hz", 1e9, "--override");
    const std::string text = describe_chip(preset);
    EXPECT_TRUE(
        has(text, "ici_link_bw_oneway = 8.2e+10  (7e+10 .. 1e+11)  B/s  [sourced]\n    650"));
    EXPECT_TRUE(has(text, "clock_hz = 1e+09  Hz  [overridden]\n    override at --override"))
        << text;
    for (const std::string& key : preset.keys()) {
        EXPECT_TRUE(key == "slice_shapes_chips" || has(text, "\n" + key + " = ")) << key;
    }
}

TEST(DescribeChip, ShowsWhichSlicesWrapAndWhichAreDisputed)
{
    const std::string text = describe_chip(Preset::load("tpu_v3"));
    EXPECT_TRUE(has(text, "mesh (disputed)")) << text;
    EXPECT_TRUE(has(text, "wraps y (disputed)")) << text;
    EXPECT_TRUE(has(text, "wraps x y  ")) << text;
}

TEST(DescribeUnsourced, ListsWhatRestsOnAnAssumptionAlone)
{
    const std::string text = describe_unsourced(Preset::load("tpu_v6e"));
    EXPECT_NE(text.find("tpu_v6e: "), std::string::npos);
    EXPECT_NE(text.find("\nhbm_channel_interleave_bytes = 256  (64 .. 1024)  B  [assumed]\n"),
              std::string::npos)
        << text;
    for (const char* key : {"\nclock_hz", "\nmxu_window_cycles", "\nici_link_bw_oneway"}) {
        EXPECT_EQ(text.find(key), std::string::npos) << key;
    }
}

} // namespace
} // namespace alxsim::topologies
