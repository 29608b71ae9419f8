// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/between.h"

#include "base/input_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;

report::Point timed_point(std::int64_t batch, const std::string& interval)
{
    report::Point point;
    point.sweep.set("/workload/transformer/batch", batch);
    report::Result& result = point.result.emplace();
    result.interval = interval;
    result.epoch.seconds = static_cast<double>(batch);
    return point;
}

report::Point without_time(std::int64_t batch, std::optional<std::string> error)
{
    report::Point point = timed_point(batch, "step");
    point.result.reset();
    point.fits = error.has_value();
    point.error = std::move(error);
    return point;
}

/// Two steps, an epoch, a point that failed and one that is too large.
std::vector<report::Point> points_for_ends()
{
    return {timed_point(8, "step"), timed_point(16, "step"), timed_point(32, "epoch"),
            without_time(64, "no such mesh"), without_time(128, std::nullopt)};
}

std::string refusal_of_ends(const std::string& from, const std::string& to)
{
    report::Series series;
    series.name = "s";
    series.points = {0, 1, 2, 3, 4};
    try {
        ends_of({{"batch=" + from}, {"batch=" + to}}, series, points_for_ends());
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ExplainBetween, PointsWithTimesOfOneIntervalAreAllowed)
{
    EXPECT_EQ(refusal_of_ends("8", "16"), "");
}

TEST(ExplainBetween, TimesOfDifferentIntervalsAreRefused)
{
    EXPECT_EQ(refusal_of_ends("8", "32"),
              "--to: series 's': found the time of an epoch, that of --from is of a step; allowed: "
              "two times of the same");
}

TEST(ExplainBetween, PointsWithoutATimeAreRefusedWithTheirReasons)
{
    EXPECT_EQ(refusal_of_ends("8", "64"),
              "--to: series 's': found 'batch=64', a point that failed: no such mesh; allowed: one "
              "with a time");
    EXPECT_EQ(refusal_of_ends("64", "8"),
              "--from: series 's': found 'batch=64', a point that failed: no such mesh; allowed: "
              "one with a time");
    EXPECT_THAT(refusal_of_ends("8", "128"), HasSubstr("'batch=128', a point that does not fit"));
}

TEST(ExplainBetween, OnePointTwiceIsRefused)
{
    EXPECT_THAT(refusal_of_ends("8", "8"),
                HasSubstr("found the point of --from; allowed: another one"));
}

} // namespace
} // namespace alxsim::experiments
