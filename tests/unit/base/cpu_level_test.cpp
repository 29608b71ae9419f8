// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_level.h"

#include <gtest/gtest.h>

namespace alxsim {
namespace {

TEST(CpuLevels, BeginWithTheBaselineAndGoUp)
{
    const std::vector<CpuLevel> levels = cpu_levels();
    ASSERT_FALSE(levels.empty());
    EXPECT_EQ(levels.front(), CpuLevel::baseline);
    for (std::size_t i = 1; i < levels.size(); ++i) {
        EXPECT_LT(levels[i - 1], levels[i]);
    }
}

TEST(CpuLevels, HaveTheNamesOfThePsabi)
{
    EXPECT_EQ(name_of(CpuLevel::x86_64_v3), "x86-64-v3");
    EXPECT_EQ(name_of(CpuLevel::x86_64_v4), "x86-64-v4");
}

} // namespace
} // namespace alxsim
