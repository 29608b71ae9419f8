// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective.h"
#include "model/schedules/schedule_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

/// Collective times in closed form against the schedules played message by message.
namespace alxsim::model {
namespace {

/// Relative errors of the closed form over a grid.
struct Errors {
    double worst = 0; ///< with its sign
    double sum = 0;   ///< of absolute values
    int count = 0;

    void add(double error)
    {
        worst = std::abs(error) > std::abs(worst) ? error : worst;
        sum += std::abs(error);
        ++count;
    }
    double mean() const { return sum / count; }
};

topologies::Machine slice_of(const char* chip, int cores, bool wrap)
{
    const topologies::Preset preset = topologies::Preset::load(chip);
    topologies::SliceRequest request;
    request.cores = cores;
    const topologies::Machine machine = topologies::make_machine(preset, request);
    if (!wrap) {
        return machine;
    }
    request.wrap = std::vector<bool>(machine.slice.axes().size(), true);
    return topologies::make_machine(preset, request);
}

/// Over 8 to 256 cores, lines and rings, 16 KiB to 8 MiB: schedules of one colour, or of several.
Errors errors_of(const std::vector<const char*>& chips, bool one_colour)
{
    Errors errors;
    const auto add = [&](const Collective& collective, const topologies::Machine& machine) {
        for (const CollectiveSchedule& schedule : candidate_schedules(collective, machine)) {
            if ((schedule.colours.size() == 1) == one_colour) {
                errors.add(closed_form_time(schedule) / schedule_time(schedule) - 1);
            }
        }
    };
    for (const char* chip : chips) {
        for (const bool wrap : {true, false}) {
            for (const int cores : {8, 16, 32, 64, 128, 256}) {
                const topologies::Machine machine = slice_of(chip, cores, wrap);
                for (const std::int64_t bytes : {1 << 14, 1 << 17, 1 << 19, 1 << 21, 1 << 23}) {
                    add({CollectiveKind::all_gather, Bytes(bytes)}, machine);
                    add({CollectiveKind::reduce_scatter, Bytes(bytes)}, machine);
                    add({CollectiveKind::all_reduce, Bytes(bytes)}, machine);
                }
            }
        }
    }
    std::printf("%d schedules: worst %+.1f %%, mean %.2f %%\n", errors.count, 100 * errors.worst,
                100 * errors.mean());
    return errors;
}

TEST(ClosedForm, IsExactForOneColourOnChipsOfOneDevice)
{
    EXPECT_LT(std::abs(errors_of({"tpu_v6e", "tpu_v4"}, true).worst), 1e-4);
}

TEST(ClosedForm, IsAFewPercentOffInTheMeanWhereTheDevicesOfAChipMeet)
{
    const Errors errors = errors_of({"tpu_v3", "tpu_7x"}, true);
    EXPECT_LT(std::abs(errors.worst), 0.25);
    EXPECT_LT(errors.mean(), 0.03);
}

TEST(ClosedForm, IsTooFastWhereColoursMeetAndByAFewPercentInTheMean)
{
    const Errors errors = errors_of({"tpu_v6e", "tpu_v4", "tpu_v3", "tpu_7x"}, false);
    EXPECT_GT(errors.worst, -0.3);
    EXPECT_LT(errors.mean(), 0.04);
}

/// A colour that is meant for one way goes both ways of a line: it loads the links of either.
TEST(ClosedForm, CountsColoursOfOneWayOnLines)
{
    for (const int cores : {8, 16}) {
        topologies::Machine machine = slice_of("tpu_v4", cores, false);
        machine.schedule = topologies::ScheduleChoice::xla;
        const CollectiveSchedule schedule =
            make_schedule({CollectiveKind::all_reduce, Bytes(1 << 28)}, machine);
        EXPECT_EQ(schedule.algorithm.directions, 1) << schedule.name;
        EXPECT_NEAR(closed_form_time(schedule) / schedule_time(schedule), 1, 0.01);
    }
}

/// All that a line's end is sent passes one link: no colours that share it go past each other
/// there.
TEST(ClosedForm, CountsTheLinkNextToTheEndOfALine)
{
    for (const char* chip : {"tpu_v5e", "tpu_v6e"}) {
        for (const int cores : {16, 64}) {
            topologies::Machine machine = slice_of(chip, cores, false);
            machine.schedule = topologies::ScheduleChoice::xla;
            const CollectiveSchedule schedule =
                make_schedule({CollectiveKind::all_reduce, Bytes(1 << 26)}, machine);
            EXPECT_EQ(schedule.colours.size(), 4U) << schedule.name;
            EXPECT_NEAR(closed_form_time(schedule) / schedule_time(schedule), 1, 0.05)
                << chip << " " << cores;
        }
    }
}

/// A link's load is what no schedule goes below.
TEST(ClosedForm, IsNoLongerThanThePlayedScheduleByItsBusiestLink)
{
    for (const char* chip : {"tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v6e", "tpu_7x"}) {
        for (const int cores : {8, 16, 32, 64, 128}) {
            const topologies::Machine machine = slice_of(chip, cores, false);
            for (const auto kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
                for (const CollectiveSchedule& schedule :
                     candidate_schedules({kind, Bytes(1 << 23)}, machine)) {
                    EXPECT_LE(busiest_link_time(schedule), schedule_time(schedule))
                        << chip << " " << cores << " " << schedule.name;
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::model
