// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/trace/trace_request.h"

#include "base/input_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace alxsim::experiments {
namespace {

using ::testing::HasSubstr;
using Which = sim::TracedSteps::Which;

std::string refusal_of(const std::string& text)
{
    try {
        traced_steps_of(text, "--trace-steps");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(TracedSteps, AreAWordANumberOrARange)
{
    EXPECT_EQ(traced_steps_of("first", "").which, Which::first);
    EXPECT_EQ(traced_steps_of("last", "").which, Which::last);
    EXPECT_EQ(traced_steps_of("worst", "").which, Which::worst);
    const sim::TracedSteps one = traced_steps_of("3", "");
    EXPECT_EQ(one.which, Which::range);
    EXPECT_EQ(one.from, 3);
    EXPECT_EQ(one.to, 3);
    const sim::TracedSteps all = traced_steps_of("1:9223372036854775807", "");
    EXPECT_EQ(all.from, 1);
    EXPECT_EQ(all.to, std::numeric_limits<std::int64_t>::max());
}

TEST(TracedSteps, ThatAreNoneAreAnsweredWithWhatIsAllowed)
{
    for (const char* const text : {"", "0", "-1", "0:3", "3:2", ":", "3:", ":3", "1:2:3", "1 : 2",
                                   " 1", "+1", "1.5", "First", "middle", "9223372036854775808",
                                   "1:9223372036854775808", "99999999999999999999999"}) {
        const std::string refusal = refusal_of(text);
        EXPECT_THAT(refusal, HasSubstr("--trace-steps")) << text;
        EXPECT_THAT(refusal, HasSubstr("FROM:TO")) << text;
    }
}

/// Whatever is written there is refused, or is steps from 1 on.
TEST(TracedSteps, OfAnyTextAreRefusedOrInOrder)
{
    std::mt19937 random(7);
    const std::string letters = "0123456789::-+ .eflastworr";
    int taken = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t length = random() % 24; text.size() < length;) {
            text += letters[random() % letters.size()];
        }
        if (refusal_of(text).empty()) {
            const sim::TracedSteps steps = traced_steps_of(text, "");
            EXPECT_GE(steps.from, 1) << text;
            EXPECT_LE(steps.from, steps.to) << text;
            ++taken;
        }
    }
    EXPECT_GT(taken, 100);
}

TEST(TraceFileName, SaysWhichPointItIsOf)
{
    EXPECT_EQ(trace_file_of("out", 3, "tpu_v3, cores 256"),
              "out/point-0003-tpu_v3-cores-256.json.gz");
    EXPECT_EQ(trace_file_of("out", 12345, ""), "out/point-12345.json.gz");
    EXPECT_EQ(trace_file_of("out", 0, "../../etc: \"x\"\n"), "out/point-0000-..-..-etc-x.json.gz");
    EXPECT_LT(trace_file_of("o", 0, std::string(1000, 'x')).size(), 110u);
}

} // namespace
} // namespace alxsim::experiments
