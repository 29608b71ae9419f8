// SPDX-License-Identifier: Apache-2.0
#include "base/numbers/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace alxsim {
namespace {

TEST(Bf16, TiesGoToTheEvenNeighbour)
{
    // 1 + k/128 is exact; halfway between neighbours, the one with an even last bit is taken.
    EXPECT_EQ(to_float(to_bf16(1.0F + 1.0F / 256)), 1.0F);
    EXPECT_EQ(to_float(to_bf16(1.0F + 3.0F / 256)), 1.0F + 2.0F / 128);
    EXPECT_EQ(to_float(to_bf16(1.0F + 1.0F / 256 + 1e-6F)), 1.0F + 1.0F / 128);
    EXPECT_EQ(to_float(to_bf16(-1.0F - 1.0F / 256)), -1.0F);
}

TEST(Bf16, EveryBf16SurvivesTheRoundTrip)
{
    for (std::uint32_t bits = 0; bits <= 0xffffu; ++bits) {
        const auto value = static_cast<Bf16>(bits);
        if (!std::isnan(to_float(value))) {
            ASSERT_EQ(to_bf16(to_float(value)), value);
        }
    }
}

TEST(Bf16, OverflowGoesToInfinityAndNanStaysNan)
{
    EXPECT_TRUE(std::isinf(to_float(to_bf16(std::numeric_limits<float>::max()))));
    EXPECT_TRUE(std::isnan(to_float(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
    EXPECT_TRUE(std::isnan(to_float(to_bf16(std::nanf("0x1")))));
}

} // namespace
} // namespace alxsim
