// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/import/hlo_texts.h"
#include "workloads/import/hlo/trip_count.h"

#include <gtest/gtest.h>

namespace alxsim::hlo {
namespace {

struct LoopText {
    std::string start = "%start = s32[] constant(0)";
    std::string limit = "%limit = s32[] constant(4)";
    std::string compare = "compare(%c, %limit), direction=LT";
    std::string step = "%step = s32[] constant(1)";
    std::string next = "add(%i, %step)";
    std::string before; ///< computations
};

/// A loop over (counter, number), the number passed through.
std::string loop_of(const LoopText& text)
{
    return module_of(
        "  %n = s32[] parameter(0)\n  " + text.start +
            "\n  %init = (s32[], s32[]) tuple(%start, %n)\n"
            "  ROOT %loop = (s32[], s32[]) while(%init), condition=%cond, body=%body\n",
        text.before +
            "%cond {\n  %s = (s32[], s32[]) parameter(0)\n"
            "  %c = s32[] get-tuple-element(%s), index=0\n"
            "  %bound = s32[] get-tuple-element(%s), index=1\n  " +
            text.limit + "\n  ROOT %lt = pred[] " + text.compare +
            "\n}\n\n%body {\n  %s = (s32[], s32[]) parameter(0)\n"
            "  %i = s32[] get-tuple-element(%s), index=0\n"
            "  %b = s32[] get-tuple-element(%s), index=1\n  " +
            text.step + "\n  %next = s32[] " + text.next +
            "\n  ROOT %t = (s32[], s32[]) tuple(%next, %b)\n}\n\n");
}

TripCount trip_of(const LoopText& text, const GivenTrips& given = {})
{
    const Module module = read_hlo_text(loop_of(text), "a.hlo");
    return trip_counts(module, given).at(0);
}

std::optional<std::int64_t> count_with(LoopText text)
{
    return trip_of(text).count;
}

TEST(TripCounts, AreTheWayDividedByTheStep)
{
    EXPECT_EQ(count_with({}), 4);
    LoopText two;
    two.step = "%step = s32[] constant(2)";
    EXPECT_EQ(count_with(two), 2);
    two.limit = "%limit = s32[] constant(5)";
    EXPECT_EQ(count_with(two), 3); // rounded up
    two.start = "%start = s32[] constant(7)";
    EXPECT_EQ(count_with(two), 0);
    const TripCount trip = trip_of(two);
    EXPECT_EQ(trip.start, 7);
    EXPECT_EQ(trip.limit, 5);
    EXPECT_EQ(trip.step, 2);
}

TEST(TripCounts, KnowEachDirectionOnEitherSide)
{
    LoopText text;
    text.compare = "compare(%limit, %c), direction=GT";
    EXPECT_EQ(count_with(text), 4);
    text.compare = "compare(%c, %limit), direction=LE";
    EXPECT_EQ(count_with(text), 5);
    text.compare = "compare(%c, %limit), direction=NE";
    EXPECT_EQ(count_with(text), 4);
    text.compare = "compare(%c, %limit), direction=GE";
    text.limit = "%limit = s32[] constant(0)";
    text.start = "%start = s32[] constant(6)";
    text.next = "subtract(%i, %step)";
    EXPECT_EQ(count_with(text), 7);
    text.compare = "compare(%c, %limit), direction=GT";
    EXPECT_EQ(count_with(text), 6);
}

TEST(TripCounts, FollowCopiesFusionsAndWhatTheLoopPassesOn)
{
    LoopText text;
    text.start = "%zero = s32[] constant(0)\n  %start = s32[] copy(%zero)";
    text.limit = "%limit = s32[] constant(9)";
    text.before = "%compared {\n  %a = s32[] parameter(0)\n  %z = s32[] parameter(1)\n"
                  "  ROOT %r = pred[] compare(%a, %z), direction=LT\n}\n\n"
                  "%added {\n  %a = s32[] parameter(0)\n  %one = s32[] constant(3)\n"
                  "  ROOT %r = s32[] add(%one, %a)\n}\n\n";
    text.compare = "fusion(%c, %limit), kind=kLoop, calls=%compared";
    text.next = "fusion(%i), kind=kLoop, calls=%added";
    EXPECT_EQ(count_with(text), 3);
}

TEST(TripCounts, MayEndAtWhatEntersAndIsNotChanged)
{
    LoopText text;
    text.compare = "compare(%c, %bound), direction=LT";
    EXPECT_FALSE(count_with(text)); // an argument of the program
    std::string module = loop_of(text);
    module.replace(module.find("%n = s32[] parameter(0)"), 23, "%n = s32[] constant(6)");
    EXPECT_EQ(trip_counts(read_hlo_text(module, "a.hlo")).at(0).count, 6);
}

TEST(TripCounts, UnknownOnesSayWhyAndMayBeGiven)
{
    LoopText text;
    text.compare = "compare(%c, %bound), direction=LT";
    EXPECT_EQ(trip_of(text).problem,
              "the number that its counter ends at is computed by the program");
    const TripCount given = trip_of(text, {{"%loop", 12}});
    EXPECT_EQ(given.count, 12);
    EXPECT_TRUE(given.given);
    EXPECT_EQ(given.problem, "");
    text = {};
    text.next = "multiply(%i, %step)";
    EXPECT_EQ(trip_of(text).problem,
              "its condition compares no counter to which the body adds a constant");
    text = {};
    text.start = "%start = s32[] add(%n, %n)";
    EXPECT_EQ(trip_of(text).problem,
              "the number that its counter begins at is computed by the program");
    text = {};
    text.step = "%step = s32[] constant(-1)";
    EXPECT_EQ(trip_of(text).problem, "its counter does not come to an end");
}

TEST(TripCounts, MayBeKnownToTheCompilerAlone)
{
    LoopText text;
    text.compare = "compare(%c, %bound), direction=LT";
    std::string module = loop_of(text);
    const std::string body = "body=%body";
    module.insert(module.find(body) + body.size(),
                  ", backend_config={\"known_trip_count\":{\"n\":\"8\"}}");
    EXPECT_EQ(trip_counts(read_hlo_text(module, "a.hlo")).at(0).count, 8);
}

TEST(TripCounts, GivenForNoLoopAreRefused)
{
    try {
        trip_of({}, {{"loup", 3}});
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("allowed: loop; did you mean 'loop'?"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_THROW(trip_of({}, {{"loop", -1}}), InputError);
}

} // namespace
} // namespace alxsim::hlo
