// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.h"

#include <gtest/gtest.h>

#include <array>

namespace alxsim::model {
namespace {

const std::vector<std::string> phases{"gather", "solve", "combine"};
constexpr int gather = 0;
constexpr int solve = 1;
constexpr int combine = 2;

struct Span {
    std::int64_t start;
    std::int64_t finish;
};

Activity activity(Span span, int phase, Share body, std::int64_t cause = Activity::no_cause,
                  int device = 0)
{
    Activity result;
    result.start = Picoseconds(span.start);
    result.finish = Picoseconds(span.finish);
    result.cause = cause;
    result.device = device;
    result.phase = static_cast<std::int16_t>(phase);
    result.body = body;
    return result;
}

std::int64_t phase_of(const Breakdown& breakdown, const std::string& phase)
{
    const auto found = breakdown.phases.find(phase);
    return found == breakdown.phases.end() ? 0 : found->second.count();
}

std::int64_t share_of(const Breakdown& breakdown, Share share)
{
    return breakdown.share(share).count();
}

TEST(CriticalPath, OfNothingIsNothing)
{
    EXPECT_EQ(critical_path({}, phases, Picoseconds(0)).total, Picoseconds(0));
}

TEST(CriticalPath, OfAChainIsAllItsParts)
{
    const Breakdown path = critical_path(
        {activity({0, 10}, gather, Share::hbm), activity({10, 25}, solve, Share::compute, 0)},
        phases, Picoseconds(0));
    EXPECT_EQ(path.total, Picoseconds(25));
    EXPECT_EQ(phase_of(path, "gather"), 10);
    EXPECT_EQ(phase_of(path, "solve"), 15);
    EXPECT_EQ(share_of(path, Share::hbm), 10);
    EXPECT_EQ(share_of(path, Share::compute), 15);
}

TEST(CriticalPath, LeavesOutWhatRanBesideIt)
{
    const Breakdown path = critical_path({activity({0, 10}, gather, Share::hbm),
                                          activity({0, 7}, combine, Share::communication),
                                          activity({10, 25}, solve, Share::compute, 0)},
                                         phases, Picoseconds(0));
    EXPECT_EQ(phase_of(path, "combine"), 0);
    EXPECT_EQ(path.total, Picoseconds(25));
}

TEST(CriticalPath, SplitsAnOpIntoLaunchFillAndBody)
{
    Activity op = activity({0, 10}, solve, Share::compute);
    op.launch = Picoseconds(2);
    op.fill = Picoseconds(3);
    const Breakdown path = critical_path({op}, phases, Picoseconds(0));
    EXPECT_EQ(share_of(path, Share::host), 2);
    EXPECT_EQ(share_of(path, Share::hbm), 3);
    EXPECT_EQ(share_of(path, Share::compute), 5);
}

TEST(CriticalPath, FollowsALatePeer)
{
    // Device 1 arrives at 9, and device 0, which had waited since 4, finishes last.
    const Breakdown path =
        critical_path({activity({0, 4}, gather, Share::hbm),
                       activity({0, 9}, solve, Share::compute, Activity::no_cause, 1),
                       activity({9, 12}, combine, Share::communication, 1, 0),
                       activity({9, 11}, combine, Share::communication, 1, 1)},
                      phases, Picoseconds(0));
    EXPECT_EQ(phase_of(path, "solve"), 9);
    EXPECT_EQ(phase_of(path, "gather"), 0);
    EXPECT_EQ(phase_of(path, "combine"), 3);
    EXPECT_EQ(share_of(path, Share::idle), 0);
}

TEST(CriticalPath, CallsAGapIdle)
{
    const Breakdown path = critical_path(
        {activity({0, 5}, gather, Share::hbm), activity({8, 10}, solve, Share::compute, 0)}, phases,
        Picoseconds(0));
    EXPECT_EQ(path.total, Picoseconds(10));
    EXPECT_EQ(share_of(path, Share::idle), 3);
    EXPECT_EQ(share_of(path, Share::hbm), 5);
}

TEST(CriticalPath, CallsIdleWhatNothingExplains)
{
    const Breakdown path =
        critical_path({activity({6, 10}, solve, Share::compute)}, phases, Picoseconds(1));
    EXPECT_EQ(path.total, Picoseconds(9));
    EXPECT_EQ(share_of(path, Share::idle), 5);
}

TEST(CriticalPath, ClipsWhatBeganEarlier)
{
    Activity op = activity({0, 10}, gather, Share::hbm);
    op.launch = Picoseconds(3);
    const Breakdown path =
        critical_path({op, activity({10, 12}, solve, Share::compute, 0)}, phases, Picoseconds(4));
    EXPECT_EQ(path.total, Picoseconds(8));
    EXPECT_EQ(phase_of(path, "gather"), 6);
    EXPECT_EQ(share_of(path, Share::host), 0);
}

TEST(CriticalPath, OfEqualFinishesTakesTheLowestDeviceThenOp)
{
    Activity later_op = activity({0, 10}, gather, Share::hbm, Activity::no_cause, 0);
    later_op.op = 1;
    const Breakdown path =
        critical_path({activity({0, 10}, combine, Share::communication, Activity::no_cause, 1),
                       later_op, activity({0, 10}, solve, Share::compute)},
                      phases, Picoseconds(0));
    EXPECT_EQ(phase_of(path, "solve"), 10);
}

/// A loop on two devices, 10 ps an iteration: 3 of overhead, then work that began when `waits_for`
/// said so. All but the first two and the last of `times` iterations are left out if `skip`.
struct LoopTrace {
    std::vector<Activity> activities;
    std::vector<Repetition> repetitions;

    LoopTrace(std::int64_t times, std::array<int, 2> waits_for, bool skip)
    {
        std::array<std::int64_t, 2> last{Activity::no_cause, Activity::no_cause};
        for (std::int64_t i = 0; i < times; ++i) {
            const std::array<std::int64_t, 2> before = control_;
            for (const int device : {0, 1}) {
                const Span span{10 * i, 10 * i + 3 - device};
                control_[at(device)] =
                    add(activity(span, gather, Share::host, last[at(device)], device));
            }
            if (skip && i == 1 && times > 3) {
                i = leave_out(times - 2 - i, i, before);
            }
            for (const int device : {0, 1}) {
                const int cause = waits_for[at(device)];
                const Span span{10 * i + 3 - cause, 10 * i + 10};
                last[at(device)] = add(activity(span, device == 0 ? solve : combine,
                                                device == 0 ? Share::compute : Share::hbm,
                                                control_[at(cause)], device));
            }
        }
    }

    Breakdown path(std::int64_t from) const
    {
        return critical_path(activities, phases, Picoseconds(from), repetitions);
    }

private:
    static std::size_t at(int device) { return static_cast<std::size_t>(device); }

    std::int64_t add(const Activity& added)
    {
        activities.push_back(added);
        return static_cast<std::int64_t>(activities.size()) - 1;
    }

    std::int64_t leave_out(std::int64_t times, std::int64_t i, std::array<std::int64_t, 2> since)
    {
        for (const int device : {0, 1}) {
            const std::int64_t start = 10 * i + 3 - device;
            Activity left_out = activity({start, start + 10 * times}, gather, Share::idle,
                                         control_[at(device)], device);
            left_out.repetition = static_cast<std::int32_t>(repetitions.size());
            activities[static_cast<std::size_t>(since[at(device)])].repetition =
                left_out.repetition;
            control_[at(device)] = add(left_out);
            repetitions.push_back({control_[at(device)], times, 7});
        }
        return i + times;
    }

    std::array<std::int64_t, 2> control_{};
};

TEST(CriticalPath, GoesThroughARepetitionAsIfItHadBeenRecorded)
{
    const std::vector<std::array<int, 2>> causes{{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    for (const std::array<int, 2>& waits_for : causes) {
        for (const std::int64_t times : {3, 4, 5, 20}) {
            const LoopTrace whole(times, waits_for, false);
            const LoopTrace short_one(times, waits_for, true);
            ASSERT_EQ(short_one.repetitions.empty(), times == 3);
            for (std::int64_t from = 0; from < 10 * times; ++from) {
                const Breakdown expected = whole.path(from);
                const Breakdown path = short_one.path(from);
                EXPECT_EQ(path.total, Picoseconds(10 * times - from));
                EXPECT_EQ(path.phases, expected.phases) << times << " from " << from;
                EXPECT_EQ(path.shares, expected.shares) << times << " from " << from;
            }
        }
    }
}

} // namespace
} // namespace alxsim::model
