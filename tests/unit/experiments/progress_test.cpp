// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/progress.h"

#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

TEST(Progress, CountsWorkAndNotPoints)
{
    Progress progress({1, 1, 98}, true);
    progress.finished(0, "a small one");
    progress.finished(1, "another");
    EXPECT_DOUBLE_EQ(progress.done(), 0.02);
    progress.update(2, 0.5);
    EXPECT_DOUBLE_EQ(progress.done(), 0.51);
    progress.finished(2, "the large one");
    EXPECT_DOUBLE_EQ(progress.done(), 1);
}

TEST(Progress, IsNotAtItsEndBeforeThePointHasFinished)
{
    Progress progress({1}, true);
    progress.update(0, 1);
    EXPECT_LT(progress.done(), 0.995); // "99 %"
    progress.finished(0, "all of it");
    EXPECT_DOUBLE_EQ(progress.done(), 1);
}

TEST(Progress, OfWeightsThatAreKnownLaterGoesByThem)
{
    Progress progress({1, 1}, true);
    progress.finished(0, "the small one");
    EXPECT_DOUBLE_EQ(progress.done(), 0.5);
    progress.set_weights({1, 9});
    EXPECT_DOUBLE_EQ(progress.done(), 0.1);
}

} // namespace
} // namespace alxsim::experiments
