// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alxsim {
namespace {

TEST(Units, RoundingToPicosecondsNeverShortensADuration)
{
    EXPECT_EQ(to_picoseconds(Seconds(1e-6)), Picoseconds(1'000'000));
    EXPECT_EQ(to_picoseconds(Seconds(1.0000001e-12)), Picoseconds(1)) << "noise of the last digit";
    EXPECT_EQ(to_picoseconds(Seconds(1.5e-12)), Picoseconds(2));
    EXPECT_EQ(to_picoseconds(Seconds(0)), Picoseconds(0));
}

TEST(Units, ADurationThatSimulatedTimeCannotHoldIsRefused)
{
    EXPECT_THROW(to_picoseconds(Seconds(1e8)), InputError);
    EXPECT_THROW(to_picoseconds(Seconds(-1)), InputError);
    EXPECT_THROW(to_picoseconds(Seconds(std::nan(""))), InputError);
    EXPECT_THROW(repeated(Picoseconds(1'000'000'000'000), 100'000'000), InputError);
    EXPECT_EQ(repeated(Picoseconds(3), 4), Picoseconds(12));
}

TEST(Units, SumsAndMultiplesOfDurationsAreRefusedWhereTheyOverflow)
{
    const Picoseconds sixty_days = to_picoseconds(Seconds(60.0 * 24 * 3600));
    EXPECT_THROW(sixty_days + sixty_days, DurationError);
    EXPECT_THROW(sixty_days * 2, DurationError);
    Picoseconds sum = sixty_days;
    EXPECT_THROW(sum += sixty_days, DurationError);
    EXPECT_EQ(sum, sixty_days);
}

TEST(Units, ADurationThatIsRefusedIsToldInFewDigits)
{
    const auto complaint = [](double seconds) {
        try {
            to_picoseconds(Seconds(seconds));
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(complaint(40690126627607.914062).rfind("found a duration of 4.07e+13 s, ", 0), 0U);
    EXPECT_EQ(complaint(std::nan("")).rfind("found a duration that is not a number, ", 0), 0U);
}

TEST(Units, RoundedUpIsTheCeiling)
{
    for (const double value : {0.0, 0.25, 1.0, 1.0000001, -0.5, -1.0, -1.5, 9.007199254740993e15}) {
        EXPECT_EQ(static_cast<double>(rounded_up(value)), std::ceil(value)) << value;
    }
}

TEST(Units, RoundUpReachesTheNextMultiple)
{
    EXPECT_EQ(round_up(1, 128), 128);
    EXPECT_EQ(round_up(128, 128), 128);
    EXPECT_EQ(ceil_divide(129, 128), 2);
}

} // namespace
} // namespace alxsim
