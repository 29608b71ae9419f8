// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

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

Breakdown critical_path(const std::vector<Activity>& activities, Picoseconds from)
{
    CriticalPath path;
    for (const Activity& each : activities) {
        path.add(each);
    }
    return path.breakdown(phases, from);
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
    EXPECT_EQ(critical_path({}, Picoseconds(0)).total, Picoseconds(0));
}

TEST(CriticalPath, OfAChainIsAllItsParts)
{
    const Breakdown path = critical_path(
        {activity({0, 10}, gather, Share::hbm), activity({10, 25}, solve, Share::compute, 0)},
        Picoseconds(0));
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
                                         Picoseconds(0));
    EXPECT_EQ(phase_of(path, "combine"), 0);
    EXPECT_EQ(path.total, Picoseconds(25));
}

TEST(CriticalPath, SplitsAnOpIntoLaunchFillAndBody)
{
    Activity op = activity({0, 10}, solve, Share::compute);
    op.launch = Picoseconds(2);
    op.fill = Picoseconds(3);
    const Breakdown path = critical_path({op}, Picoseconds(0));
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
                      Picoseconds(0));
    EXPECT_EQ(phase_of(path, "solve"), 9);
    EXPECT_EQ(phase_of(path, "gather"), 0);
    EXPECT_EQ(phase_of(path, "combine"), 3);
    EXPECT_EQ(share_of(path, Share::idle), 0);
}

TEST(CriticalPath, CallsAGapIdle)
{
    const Breakdown path = critical_path(
        {activity({0, 5}, gather, Share::hbm), activity({8, 10}, solve, Share::compute, 0)},
        Picoseconds(0));
    EXPECT_EQ(path.total, Picoseconds(10));
    EXPECT_EQ(share_of(path, Share::idle), 3);
    EXPECT_EQ(share_of(path, Share::hbm), 5);
}

TEST(CriticalPath, CallsIdleWhatNothingExplains)
{
    const Breakdown path =
        critical_path({activity({6, 10}, solve, Share::compute)}, Picoseconds(1));
    EXPECT_EQ(path.total, Picoseconds(9));
    EXPECT_EQ(share_of(path, Share::idle), 5);
}

TEST(CriticalPath, ClipsWhatBeganEarlier)
{
    Activity op = activity({0, 10}, gather, Share::hbm);
    op.launch = Picoseconds(3);
    const Breakdown path =
        critical_path({op, activity({10, 12}, solve, Share::compute, 0)}, Picoseconds(4));
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
                      Picoseconds(0));
    EXPECT_EQ(phase_of(path, "solve"), 10);
}

/// A loop on two devices, 10 ps an iteration: 3 of overhead, then work that began when `waits_for`
/// said so. All but the first two and the last of `times` iterations are left out if `skip`; what
/// is not needed is forgotten while they are if `forget`.
struct LoopTrace {
    CriticalPath trace;
    bool has_repetitions = false;

    LoopTrace(std::int64_t times, std::array<int, 2> waits_for, bool skip, bool forget = false)
        : forget_(forget)
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

    Breakdown path(std::int64_t from) const { return trace.breakdown(phases, Picoseconds(from)); }

private:
    static std::size_t at(int device) { return static_cast<std::size_t>(device); }

    std::int64_t add(const Activity& added)
    {
        trace.add(added);
        return trace.added() - 1;
    }

    std::int64_t leave_out(std::int64_t times, std::int64_t i, std::array<std::int64_t, 2> since)
    {
        for (const int device : {0, 1}) {
            const std::int64_t start = 10 * i + 3 - device;
            const Activity left_out = activity({start, start + 10 * times}, gather, Share::idle,
                                               control_[at(device)], device);
            control_[at(device)] = add(left_out);
            trace.repeats(since[at(device)], times, 7);
            has_repetitions = true;
            if (forget_) {
                trace.forget_all_but({control_[0], control_[1], since[0], since[1]});
            }
        }
        return i + times;
    }

    bool forget_;
    std::array<std::int64_t, 2> control_{};
};

TEST(CriticalPath, GoesThroughARepetitionAsIfItHadBeenRecorded)
{
    const std::vector<std::array<int, 2>> causes{{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    for (const std::array<int, 2>& waits_for : causes) {
        for (const std::int64_t times : {3, 4, 5, 20}) {
            const LoopTrace whole(times, waits_for, false);
            for (const bool forget : {false, true}) {
                const LoopTrace short_one(times, waits_for, true, forget);
                ASSERT_EQ(short_one.has_repetitions, times > 3);
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
}

/// Steps of three devices, which wait for dispatch, then work for a random time after themselves or
/// after another one. Some are ahead of others by up to a step.
class Steps {
public:
    Steps(int steps, bool fold, std::uint32_t seed, bool forget = false)
        : entries_(at(steps)),
          random_(seed)
    {
        for (int left = 2 * devices * steps; left > 0;) {
            const int device = static_cast<int>(random(devices));
            const int slowest = *std::min_element(told_.begin(), told_.end());
            const int step = told_[at(device)] / 2;
            if (step == steps || step > slowest / 2 + 1) {
                continue;
            }
            told_[at(device)]++ % 2 == 0 ? wait(device, step) : work(device, step);
            --left;
            const bool closed = *std::min_element(told_.begin(), told_.end()) == 2 * step + 2;
            if (fold && closed && slowest < 2 * step + 2) {
                trace.fold(entries_[at(step)], from);
            }
            if (forget && left % 3 == 0) {
                trace.forget_all_but(live());
            }
            most_kept = std::max(most_kept, trace.kept());
        }
    }

    CriticalPath trace;
    std::int64_t most_kept = 0;
    static constexpr Picoseconds from{40};

private:
    static constexpr int devices = 3;
    struct Done {
        std::int64_t number = Activity::no_cause;
        Picoseconds time{0};
        int step = -1;
    };

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    std::int64_t random(std::int64_t below) { return static_cast<std::int64_t>(random_()) % below; }

    /// What others may yet come after, and the entries of all steps.
    std::vector<std::int64_t> live() const
    {
        std::vector<std::int64_t> live;
        for (const Done& done : done_) {
            live.push_back(done.number);
        }
        for (const std::vector<std::int64_t>& entries : entries_) {
            live.insert(live.end(), entries.begin(), entries.end());
        }
        return live;
    }
    void wait(int device, int step)
    {
        entries_[at(step)].push_back(add(device, step, gather, done_[at(device)]));
    }
    void work(int device, int step)
    {
        const Done& peer = done_[at(static_cast<int>(random(devices)))];
        add(device, step, solve, peer.step == step ? peer : done_[at(device)]);
    }
    std::int64_t add(int device, int step, int phase, Done after)
    {
        const std::int64_t ready = std::max(after.time, done_[at(device)].time).count();
        const Span span{ready + random(3), ready + 3 + random(20)};
        trace.add(activity(span, phase, Share::compute, after.number, device));
        done_[at(device)] = {trace.added() - 1, Picoseconds(span.finish), step};
        return trace.added() - 1;
    }

    std::vector<std::vector<std::int64_t>> entries_; ///< [step]
    std::mt19937 random_;
    std::array<int, devices> told_{}; ///< activities
    std::array<Done, devices> done_;
};

TEST(CriticalPath, IsTheSameWhereStepsAreFolded)
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const Breakdown whole = Steps(12, false, seed).trace.breakdown(phases, Steps::from);
        const Breakdown folded = Steps(12, true, seed).trace.breakdown(phases, Steps::from);
        EXPECT_EQ(folded.total, whole.total);
        EXPECT_EQ(folded.phases, whole.phases);
        EXPECT_EQ(folded.shares, whole.shares);
    }
}

TEST(CriticalPath, IsTheSameWhereWhatNoPathLeadsToIsForgotten)
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        for (const bool fold : {false, true}) {
            const Steps whole(12, false, seed);
            const Steps forgotten(12, fold, seed, true);
            EXPECT_EQ(forgotten.trace.added(), whole.trace.added());
            const Breakdown expected = whole.trace.breakdown(phases, Steps::from);
            const Breakdown path = forgotten.trace.breakdown(phases, Steps::from);
            EXPECT_EQ(path.total, expected.total);
            EXPECT_EQ(path.phases, expected.phases);
            EXPECT_EQ(path.shares, expected.shares);
        }
    }
}

/// Rounds in which all devices go on after the one that is last.
TEST(CriticalPath, KeepsTheWayBackAloneOfDevicesThatMeet)
{
    constexpr int devices = 50;
    constexpr int rounds = 200;
    CriticalPath path;
    std::int64_t last = Activity::no_cause;
    for (int round = 0; round < rounds; ++round) {
        for (int device = 0; device < devices; ++device) {
            const std::int64_t start = 100 * round;
            path.add(activity({start, start + 51 + device}, solve, Share::compute, last, device));
        }
        last = path.added() - 1;
        path.forget_all_but({last});
        EXPECT_EQ(path.kept(), round + 1);
    }
    EXPECT_EQ(path.added(), devices * rounds);
    EXPECT_EQ(path.breakdown(phases, Picoseconds(0)).total, Picoseconds(100 * rounds));
}

/// Steps of three devices that swing: what waits for whom comes back after two steps. Of `times`
/// rounds of them those in the middle are left out if `skip`. What is not needed is forgotten in
/// the midst of each step if `forget`.
CriticalPath swinging_steps(std::int64_t rounds, bool skip, bool forget = false)
{
    constexpr int devices = 3;
    CriticalPath trace;
    std::array<std::int64_t, devices> last{-1, -1, -1};
    const std::int64_t recorded = 4; // steps before those that are left out
    for (std::int64_t step = 0; step < 2 * rounds; ++step) {
        std::vector<std::int64_t> waits;
        for (int device = 0; device < devices; ++device) {
            trace.add(activity({50 * step, 50 * step + 5}, gather, Share::host,
                               last.at(static_cast<std::size_t>(device)), device));
            waits.push_back(trace.added() - 1);
        }
        std::vector<std::int64_t> begun = waits;
        const std::int64_t left_out = skip && step == recorded ? rounds - 3 : 0;
        for (int device = 0; device < devices && left_out > 0; ++device) {
            Activity part =
                activity({50 * step + 5, 50 * step + 5 + 100 * left_out}, combine, Share::idle,
                         waits.at(static_cast<std::size_t>(device)), device);
            part.repetition = Activity::whole_steps;
            trace.add(part);
            begun.at(static_cast<std::size_t>(device)) = trace.added() - 1;
        }
        if (forget) {
            std::vector<std::int64_t> live = waits;
            live.insert(live.end(), begun.begin(), begun.end());
            trace.forget_all_but(live);
        }
        const bool odd = step % 2 == 1;
        step += 2 * left_out;
        for (int device = 0; device < devices; ++device) {
            const int peer = odd ? 1 : (device + 1) % devices;
            trace.add(activity({50 * step + 5, 50 * step + 50 - 3 * device}, odd ? combine : solve,
                               odd ? Share::hbm : Share::compute,
                               begun.at(static_cast<std::size_t>(peer)), device));
            last.at(static_cast<std::size_t>(device)) = trace.added() - 1;
        }
        trace.fold(waits, Picoseconds(3));
        if (left_out > 0) {
            trace.repeat_folds(2, left_out);
        }
    }
    return trace;
}

TEST(CriticalPath, GoesThroughStepsLeftOutAsIfTheyHadBeenRecorded)
{
    for (const std::int64_t rounds : {3, 4, 5, 6, 40, 1001}) {
        const Breakdown whole = swinging_steps(rounds, false).breakdown(phases, Picoseconds(3));
        for (const bool forget : {false, true}) {
            const Breakdown part =
                swinging_steps(rounds, true, forget).breakdown(phases, Picoseconds(3));
            EXPECT_EQ(part.total, whole.total);
            EXPECT_EQ(part.phases, whole.phases);
            EXPECT_EQ(part.shares, whole.shares);
            EXPECT_GT(share_of(part, Share::idle), 0);
        }
    }
}

TEST(CriticalPath, KeepsNoMoreOfManyStepsThanOfAFew)
{
    const Steps few(10, true, 1);
    const Steps many(1000, true, 1);
    EXPECT_EQ(many.trace.added(), 100 * few.trace.added());
    EXPECT_LE(many.most_kept, 5 * 2 * 3); // of three steps under way, and what stands between them
    EXPECT_GT(few.most_kept, 2 * 2 * 3);
}

} // namespace
} // namespace alxsim::model
