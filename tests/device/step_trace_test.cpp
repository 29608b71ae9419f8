// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/step_trace.h"

#include "model/collectives/group_source.h"
#include "tests/device/tracing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

/// What a trace keeps adds up to what the simulator says.
namespace alxsim::sim {
namespace {

using Which = TracedSteps::Which;

model::Breakdown sum_of(const std::vector<CriticalSpan>& path)
{
    model::Breakdown sum;
    for (const CriticalSpan& span : path) {
        if (span.repeated) {
            sum += *span.repeated;
        } else {
            sum.add(span.phase, span.share, span.end - span.begin);
        }
    }
    return sum;
}

/// What others wait for, the slowest device computes.
auto shares_of_the_slowest(model::Breakdown breakdown)
{
    const auto at = [&](model::Share share) -> Picoseconds& {
        return breakdown.shares[static_cast<std::size_t>(share)];
    };
    at(model::Share::compute) += at(model::Share::waiting);
    at(model::Share::waiting) = Picoseconds(0);
    return breakdown.shares;
}

class TracedGraph : public ::testing::TestWithParam<TracedJob> {};

INSTANTIATE_TEST_SUITE_P(Jobs, TracedGraph, ::testing::ValuesIn(traced_jobs()),
                         [](const auto& test) { return test.param.name; });

TEST_P(TracedGraph, HasACriticalPathWithoutGapsThatIsTheEpochsBreakdown)
{
    const Traced traced = trace(GetParam(), {Which::first});
    const std::vector<CriticalSpan> path = critical_path(traced.timeline);
    ASSERT_FALSE(path.empty());
    Picoseconds at = traced.timeline.begin();
    for (const CriticalSpan& span : path) {
        EXPECT_EQ(span.begin, at);
        EXPECT_LT(span.begin, span.end);
        at = span.end;
    }
    const EpochTiming& epoch = traced.result.epochs.at(0);
    EXPECT_EQ(at, epoch.finish);
    const model::Breakdown sum = sum_of(path);
    EXPECT_EQ(sum.total, epoch.breakdown.total);
    EXPECT_EQ(sum.phases, epoch.breakdown.phases);
    EXPECT_EQ(shares_of_the_slowest(sum), shares_of_the_slowest(epoch.breakdown));
}

TEST_P(TracedGraph, AddsUpToWhatEveryDeviceIsReportedToHaveDone)
{
    const Traced traced = trace(GetParam(), {Which::first});
    const auto repeated = repeated_work(traced.timeline);
    std::map<std::string, Picoseconds> times;
    std::int64_t hbm_bytes = 0;
    const auto add = [&](model::Unit unit, Picoseconds busy) {
        times[unit == model::Unit::mxu   ? "mxu_busy"
              : unit == model::Unit::vpu ? "vpu_busy"
                                         : "rows_busy"] += busy;
    };
    for (const TimelineActivity& activity : traced.timeline.activities) {
        hbm_bytes += activity.hbm_bytes.count();
        if (activity.is_loop()) {
            const RepeatedWork& work = repeated.at(activity.self);
            for (const auto& [unit, of_unit] : work.units) {
                add(unit, of_unit.busy);
            }
            times["collective_wait"] += work.waited;
            times["collective_transfer"] += work.communicating;
            continue;
        }
        add(activity.unit, activity.busy);
        if (activity.is_collective()) {
            times["collective_wait"] += activity.waited();
            times["collective_transfer"] += activity.finish - activity.start;
        }
    }
    const Statistics& counted = traced.result.statistics;
    for (const char* const name :
         {"mxu_busy", "vpu_busy", "rows_busy", "collective_wait", "collective_transfer"}) {
        EXPECT_EQ(times[name].count(), counted.value(name)) << name;
    }
    EXPECT_EQ(hbm_bytes, counted.value("hbm_bytes"));
    EXPECT_GT(counted.value("ops_executed"), 0);
}

TEST_P(TracedGraph, HasAllThatLinksCarried)
{
    const Traced traced = trace(GetParam(), {Which::first});
    std::int64_t busy = 0;
    for (const LinkLoad& load : traced.timeline.links) {
        busy += load.busy.total();
        EXPECT_LE(load.busy.parts().size(), LoadCurve::most_parts);
    }
    EXPECT_EQ(busy, traced.result.network.link_busy.count());
}

TEST_P(TracedGraph, TakesTheTimeThatItTakesUnobserved)
{
    const TracedJob& job = GetParam();
    const SimulationResult alone = simulate(job.machine, {{job.graph, {}, 1}});
    for (const Which which : {Which::first, Which::last, Which::worst}) {
        const Traced traced = trace(job, {which});
        EXPECT_EQ(traced.result.epochs.at(0).finish, alone.epochs.at(0).finish);
        EXPECT_EQ(traced.result.epochs.at(0).breakdown.phases, alone.epochs.at(0).breakdown.phases);
        EXPECT_EQ(traced.timeline.steps.at(0).number, 1) << "the only step";
    }
}

// --- Which steps

/// Fifty equal steps, of which the simulator leaves out most, and then a longer one.
struct LongJob {
    topologies::Machine machine = machine_of("tpu_v3", 16);
    model::Program program = {{{step_of(4096), {}, 1}, 50}, {{step_of(1 << 26), {}, 1}, 1}};

    static std::shared_ptr<const model::OpGraph> step_of(std::int64_t bytes)
    {
        return graph_of({op_of(model::Vector{1 << 16, 2, model::DType::f32}, {}, "solve"),
                         op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(bytes)},
                               {0}, "combine")});
    }

    std::optional<Timeline> trace(TracedSteps steps, std::int64_t most_activities = 1 << 20)
    {
        model::GroupSource source(program);
        StepTrace trace(machine, steps, most_activities);
        TracedSource traced(source, trace, steps);
        Simulator simulator(machine);
        simulator.attach(trace);
        finish = simulator.run(traced).epochs.at(0).finish;
        return trace.timeline();
    }

    Picoseconds finish{0};
};

std::vector<std::int64_t> numbers_of(const Timeline& timeline)
{
    std::vector<std::int64_t> numbers;
    for (const TimelineStep& step : timeline.steps) {
        numbers.push_back(step.number);
    }
    return numbers;
}

TEST(StepTrace, KeepsTheStepsThatAreAskedForWhateverTheSimulatorLeavesOut)
{
    LongJob job;
    using Numbers = std::vector<std::int64_t>;
    EXPECT_EQ(numbers_of(*job.trace({Which::first})), (Numbers{1}));
    const Picoseconds finish = job.finish;
    EXPECT_EQ(numbers_of(*job.trace({Which::last})), (Numbers{51}));
    EXPECT_EQ(numbers_of(*job.trace({Which::worst})), (Numbers{51}));
    EXPECT_EQ(numbers_of(*job.trace({Which::range, 30, 32})), (Numbers{30, 31, 32}));
    EXPECT_EQ(job.finish, finish) << "what is traced decides no time";
    EXPECT_EQ(numbers_of(*job.trace({Which::range, 50, 60})), (Numbers{50, 51}));
    EXPECT_FALSE(job.trace({Which::range, 52, 60}).has_value()) << "there is no such step";
}

TEST(StepTrace, HasAPathThroughSeveralStepsThatTakesAsLongAsTheyDo)
{
    LongJob job;
    const Timeline three = *job.trace({Which::range, 30, 32});
    EXPECT_EQ(sum_of(critical_path(three)).total, three.end() - three.begin());
    EXPECT_EQ(three.steps[0].end, three.steps[1].begin);
    Picoseconds all(0);
    for (std::int64_t number = 1; number <= 51; ++number) {
        const Timeline one = *job.trace({Which::range, number, number});
        EXPECT_EQ(sum_of(critical_path(one)).total, one.end() - one.begin());
        EXPECT_EQ(one.begin(), all) << "steps follow each other";
        all = one.end();
    }
    EXPECT_EQ(all, job.finish);
}

TEST(StepTrace, LeavesOutStepsWhenItHasKeptEnough)
{
    LongJob job;
    const Timeline all = *job.trace({Which::range, 1, 10});
    const std::int64_t of_step = static_cast<std::int64_t>(all.activities.size()) / 10;
    const Timeline some = *job.trace({Which::range, 1, 10}, 3 * of_step);
    EXPECT_EQ(some.steps.size(), 3u);
    EXPECT_EQ(some.steps_left_out, 7);
}

TEST(StepTrace, TellsHowLongCollectivesWaitForTheirLastMember)
{
    TracedJob job = traced_jobs().front();
    job.machine = with_slow_device(job.machine, 3);
    const Traced traced = trace(job, {Which::first});
    std::map<int, Picoseconds> waited;
    for (const TimelineActivity& activity : traced.timeline.activities) {
        waited[activity.device] += activity.waited();
        EXPECT_TRUE(activity.waited() == Picoseconds(0) || activity.is_collective());
    }
    for (const auto& [device, time] : waited) {
        EXPECT_TRUE(device == 3 || waited.at(3) < time) << "all wait for the slow one";
    }
}

TEST(StepTrace, TellsCollectivesThatWentAsBefore)
{
    const Traced traced = trace(traced_jobs().front(), {Which::first});
    std::map<std::int64_t, bool> remembered;
    for (const TimelineActivity& activity : traced.timeline.activities) {
        if (activity.is_collective()) {
            remembered[activity.collective] = activity.remembered;
        }
    }
    EXPECT_FALSE(remembered.at(0)) << "the first";
    EXPECT_TRUE(std::any_of(remembered.begin(), remembered.end(),
                            [](const auto& collective) { return collective.second; }));
}

// --- Curves

TEST(LoadCurve, LosesNothingHoweverLongItGets)
{
    LoadCurve curve;
    std::int64_t total = 0;
    for (std::int64_t i = 1; i < 200; ++i) {
        const Picoseconds begin(i * i * 977);
        curve.add(begin, begin + Picoseconds(i * 131), 7 * i + 1);
        total += 7 * i + 1;
        EXPECT_EQ(curve.total(), total);
    }
    curve.add(Picoseconds(std::int64_t{1} << 50), Picoseconds(std::int64_t{1} << 51), 12345);
    EXPECT_EQ(curve.total(), total + 12345);
    EXPECT_LE(curve.parts().size(), LoadCurve::most_parts);
}

TEST(LoadCurve, SpreadsAnAmountEvenly)
{
    LoadCurve curve;
    curve.add(curve.width() * 2, curve.width() * 6, 400);
    ASSERT_EQ(curve.parts().size(), 4u);
    for (const auto& [part, amount] : curve.parts()) {
        EXPECT_EQ(amount, 100) << part;
    }
}

} // namespace
} // namespace alxsim::sim
