// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <gtest/gtest.h>

namespace alxsim::report {
namespace {

TEST(Dollars, HaveNoExponent)
{
    EXPECT_EQ(dollars_in_words(0), "0 $");
    EXPECT_EQ(dollars_in_words(0.0118), "0.0118 $");
    EXPECT_EQ(dollars_in_words(0.001), "0.001 $");
    EXPECT_EQ(dollars_in_words(123456), "123456 $");
    EXPECT_EQ(dollars_in_words(8.7e-5), "0.087 $ per 1,000");
    EXPECT_EQ(dollars_in_words(8.7e-8), "0.087 $ per million");
}

} // namespace
} // namespace alxsim::report
