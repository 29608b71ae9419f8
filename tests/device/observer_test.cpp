// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/observer.h"

#include "sim/observe/recorder.h"
#include "tests/device/running.h"
#include "tests/device/trace_events.h"

#include <gtest/gtest.h>

#include <set>

namespace alxsim::sim {
namespace {

using model::DType;
using model::Op;
using model::Unit;
using topologies::Machine;

Op collective(std::int64_t bytes, std::vector<int> after = {},
              model::CollectiveKind kind = model::CollectiveKind::all_reduce)
{
    return op_of(model::Collective{kind, Bytes(bytes)}, std::move(after), "combine");
}

/// An op of every kind, and a loop.
std::shared_ptr<const model::OpGraph> typical_step()
{
    return graph_of({op_of(model::infeed_of(Bytes(100'000)), {}, "infeed"),
                     op_of(model::RowGather{4096, Bytes(256), 0, model::AccessPattern::uniform, 0},
                           {0}, "gather"),
                     collective(1 << 16, {1}),
                     op_of(model::Matmul{256, 16, 128, 128, DType::bf16, 1, true}, {2}),
                     repeat_of(20,
                               {op_of(model::Vector{1 << 18, 2, DType::f32}, {}, "solve"),
                                op_of(model::stream_of(Bytes(1 << 16), Bytes(0)), {0}, "solve"),
                                collective(1 << 12, {1})},
                               "", {3}),
                     op_of(model::RowScatter{256, Bytes(256), 0, false}, {4}, "scatter")});
}

SimulationResult observe(Observer& observer, const Machine& machine,
                         const std::vector<model::Step>& steps, bool remember = true)
{
    ListedSteps source(steps);
    Simulator simulator(machine, {remember});
    simulator.attach(observer);
    return simulator.run(source);
}

/// Two epochs of two steps.
std::vector<model::Step> two_epochs()
{
    const auto graph = typical_step();
    return {{graph, {}, 1}, {graph, {}, 1}, {graph, {}, 2}, {graph, {}, 2}};
}

std::vector<Machine> machines()
{
    return {machine_of("tpu_v3", 16), machine_of("tpu_v4", 16), machine_of("tpu_v5e", 16)};
}

TEST(Observer, IsToldTheBeginAndTheEndOfEveryOpOnItsCoreAndUnit)
{
    for (const Machine& machine : machines()) {
        TraceEvents trace;
        const SimulationResult result = observe(trace, machine, two_epochs(), false);
        EXPECT_EQ(static_cast<std::int64_t>(trace.begun.size()),
                  result.statistics.value("ops_executed"));
        std::multiset<std::pair<int, Picoseconds>> begun(trace.begun.begin(), trace.begun.end());
        std::map<std::pair<int, Unit>, Picoseconds> busy_until;
        std::set<std::string> phases;
        for (const ActivityRef& self : trace.order) {
            const TraceEvents::Slice& slice = trace.slices.at(self);
            EXPECT_LE(slice.begin, slice.end);
            phases.insert(slice.phase);
            if (slice.unit == Unit::host || slice.unit == Unit::control) {
                continue;
            }
            EXPECT_GT(begun.count({slice.device, slice.begin}), 0u) << slice.name;
            Picoseconds& until = busy_until[{slice.device, slice.unit}];
            EXPECT_LE(until, slice.begin) << "a unit works on one op at a time: " << slice.name;
            until = slice.end;
        }
        EXPECT_EQ(phases, (std::set<std::string>{"combine", "dispatch", "gather", "infeed",
                                                 "scatter", "solve", "work"}));
    }
}

TEST(Observer, CanDrawAnArrowFromEveryCauseToWhatItLetStart)
{
    for (const Machine& machine : machines()) {
        for (const bool remember : {false, true}) {
            TraceEvents trace;
            observe(trace, machine, two_epochs(), remember);
            std::set<ActivityRef> told;
            int without_cause = 0;
            for (const ActivityRef& self : trace.order) {
                const TraceEvents::Slice& slice = trace.slices.at(self);
                if (slice.cause.exists()) {
                    ASSERT_EQ(told.count(slice.cause), 1u) << "causes are told before";
                    EXPECT_LE(trace.slices.at(slice.cause).end, slice.waited_until) << slice.name;
                } else {
                    ++without_cause;
                }
                told.insert(self);
            }
            EXPECT_EQ(without_cause, machine.devices) << "the first dispatch of each";
        }
    }
}

TEST(Observer, NumbersTheActivitiesOfEachEpochFromZero)
{
    TraceEvents trace;
    observe(trace, machine_of("tpu_v3", 16), two_epochs());
    std::map<int, std::int64_t> next;
    for (const ActivityRef& self : trace.order) {
        EXPECT_EQ(self.index, next[self.epoch]++);
    }
    EXPECT_EQ(next.size(), 2u);
}

TEST(Observer, IsToldAllThatLinksCarrySimulatedOrNot)
{
    for (const Machine& machine : machines()) {
        for (const bool remember : {false, true}) {
            TraceEvents trace;
            const SimulationResult result = observe(trace, machine, two_epochs(), remember);
            std::map<TraceEvents::Direction, Bytes> bytes;
            for (const AxisUse& axis : result.network.axes) {
                if (axis.bytes > Bytes(0)) {
                    bytes[{axis.axis, axis.direction}] = axis.bytes;
                }
            }
            EXPECT_EQ(trace.bytes_by_direction(), bytes);
            Picoseconds busy(0);
            bool repeated = false;
            for (const LinkTransfer& transfer : trace.links) {
                busy += transfer.busy;
                repeated = repeated || transfer.repeated;
                EXPECT_LE(transfer.busy, transfer.finish - transfer.start);
            }
            EXPECT_EQ(busy, result.network.link_busy);
            EXPECT_EQ(repeated, remember);
        }
    }
}

TEST(Observer, FindsNMinusOneTimesTheGatheredBytesOnTheLinksOfARing)
{
    TraceEvents trace;
    observe(trace, easy_machine(8, "1x8", {false, true}),
            steps_of(graph_of({collective(8 << 10, {}, model::CollectiveKind::all_gather)})));
    Bytes bytes(0);
    for (const auto& [direction, carried] : trace.bytes_by_direction()) {
        bytes += carried;
    }
    EXPECT_EQ(bytes, Bytes(7 * (8 << 10)));
}

TEST(Observer, FindsOneThingAtATimeOnALink)
{
    Op routed = collective(1 << 16, {}, model::CollectiveKind::all_to_all);
    std::get<model::Collective>(routed.work).schedule.algorithm = model::ScheduleAlgorithm::routed;
    TraceEvents trace;
    observe(trace, machine_of("tpu_v5e", 16),
            steps_of(graph_of({routed, collective(1 << 18, {0})})), false);
    std::map<std::tuple<int, int, int>, std::map<Picoseconds, Picoseconds>> by_link;
    for (const LinkTransfer& transfer : trace.links) {
        EXPECT_EQ(transfer.finish - transfer.start, transfer.busy);
        by_link[{transfer.chip, transfer.axis, transfer.direction}][transfer.start] =
            transfer.finish;
    }
    EXPECT_FALSE(by_link.empty());
    for (const auto& [link, intervals] : by_link) {
        Picoseconds free(0);
        for (const auto& [start, finish] : intervals) {
            EXPECT_LE(free, start);
            free = finish;
        }
    }
}

/// Returns the iterations left out of each device; expects that what is told adds up to all.
std::vector<RepeatedPart> repeated_parts(const Machine& machine,
                                         const std::vector<model::Step>& steps)
{
    TraceEvents trace;
    const SimulationResult result = observe(trace, machine, steps);
    std::int64_t ops = static_cast<std::int64_t>(trace.begun.size());
    Bytes hbm(0);
    for (const HbmTransfer& dma : trace.dmas) {
        hbm += dma.bytes;
    }
    for (const RepeatedPart& part : trace.repeats) {
        const Picoseconds took = part.finish - part.run.start;
        const Picoseconds round = trace.slices.at(part.cause).end - trace.slices.at(part.since).end;
        EXPECT_EQ(took, round * part.rounds) << "each as long as the last that ran";
        EXPECT_EQ(part.skip, trace.repeats.front().skip);
        ops += part.ops;
        hbm += part.hbm_bytes;
    }
    EXPECT_EQ(ops, result.statistics.value("ops_executed"));
    EXPECT_EQ(hbm.count(), result.statistics.value("hbm_bytes"));
    std::int64_t link_bytes = 0;
    for (const LinkTransfer& transfer : trace.links) {
        link_bytes += transfer.bytes.count();
    }
    EXPECT_EQ(link_bytes, result.statistics.value("link_bytes"));
    return trace.repeats;
}

TEST(Observer, IsToldARepeatedPartAsOne)
{
    const Machine machine = machine_of("tpu_v4", 16);
    const auto steps = steps_of(graph_of({repeat_of(
        256, {op_of(model::stream_of(Bytes(1 << 16), Bytes(0))), collective(1 << 12, {0})})}));
    const std::vector<RepeatedPart> parts = repeated_parts(machine, steps);
    ASSERT_EQ(static_cast<int>(parts.size()), machine.devices) << "one on each core";
    for (const RepeatedPart& part : parts) {
        EXPECT_GT(part.iterations, 240);
        EXPECT_EQ(part.rounds, part.iterations);
    }
    TraceEvents all;
    observe(all, machine, steps, false);
    EXPECT_TRUE(all.repeats.empty());
}

TEST(Observer, IsToldHowManyIterationsAreOneRoundOfALoopThatSwings)
{
    const Machine machine = machine_of("tpu_v3", 128);
    const auto steps = steps_of(
        graph_of({repeat_of(200, {op_of(model::stream_of(Bytes(1 << 14), Bytes(0))),
                                  collective(1 << 16, {0}, model::CollectiveKind::permute)})}));
    const std::vector<RepeatedPart> parts = repeated_parts(machine, steps);
    ASSERT_EQ(static_cast<int>(parts.size()), machine.devices) << "one on each core";
    for (const RepeatedPart& part : parts) {
        EXPECT_GT(part.iterations, 100);
        EXPECT_GT(part.rounds, 1);
        EXPECT_GT(part.iterations / part.rounds, 1) << "iterations of a round";
        EXPECT_EQ(part.iterations % part.rounds, 0);
    }
}

TEST(Observer, SeesTheBytesOfAnOpMoveWhileItRuns)
{
    TraceEvents trace;
    observe(trace, machine_of("tpu_v3", 16), two_epochs(), false);
    std::map<std::pair<int, Picoseconds>, Picoseconds> ends;
    for (const auto& [self, slice] : trace.slices) {
        Picoseconds& end = ends[{slice.device, slice.begin}];
        end = std::max(end, slice.end);
    }
    EXPECT_FALSE(trace.dmas.empty());
    for (const HbmTransfer& dma : trace.dmas) {
        EXPECT_LT(dma.run.start, dma.start);
        EXPECT_LT(dma.start, dma.finish);
        EXPECT_LE(dma.finish, ends.at({dma.run.device, dma.run.start}));
    }
}

TEST(Observer, IsToldWhenMembersEnterAndLeaveACollectiveAndWhetherItIsRemembered)
{
    const Machine machine = machine_of("tpu_v4", 16);
    TraceEvents trace;
    observe(trace, machine, steps_of(graph_of({collective(1 << 16)}), 3));
    std::map<std::pair<std::int64_t, int>, Picoseconds> entered;
    for (const CollectiveMember& member : trace.entries) {
        EXPECT_TRUE(entered.insert({{member.collective, member.device}, member.time}).second);
    }
    EXPECT_EQ(entered.size(), 3u * static_cast<std::size_t>(machine.devices));
    ASSERT_EQ(trace.exits.size(), entered.size());
    for (const CollectiveMember& member : trace.exits) {
        EXPECT_GT(member.time, entered.at({member.collective, member.device}));
        EXPECT_EQ(member.remembered, member.collective > 0) << "the first teaches the others";
    }
}

TEST(Observer, IsToldWhenStepsAndEpochsClose)
{
    TraceEvents trace;
    const SimulationResult result = observe(trace, machine_of("tpu_v3", 16), two_epochs());
    ASSERT_EQ(trace.steps.size(), 4u);
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        EXPECT_EQ(trace.steps[i].step, static_cast<std::int64_t>(i));
        EXPECT_EQ(trace.steps[i].epoch, i < 2 ? 1 : 2);
    }
    EXPECT_EQ(trace.steps[1].time, result.epochs.at(0).finish);
    EXPECT_EQ(trace.steps[3].time, result.epochs.at(1).finish);
    EXPECT_EQ(trace.epochs, (std::vector<int>{1, 2}));
}

TEST(Observer, OfSeveralEachIsToldAndNoneChangesATime)
{
    for (const Machine& machine : machines()) {
        TraceEvents first, second;
        Recorder recorder;
        ListedSteps source(two_epochs());
        Simulator simulator(machine);
        for (Observer* observer : std::initializer_list<Observer*>{&first, &recorder, &second}) {
            simulator.attach(*observer);
        }
        const SimulationResult observed = simulator.run(source);
        const SimulationResult alone = simulate(machine, two_epochs());
        EXPECT_EQ(first.order, second.order);
        EXPECT_EQ(first.links.size(), second.links.size());
        ASSERT_EQ(observed.epochs.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(observed.epochs[i].finish, alone.epochs[i].finish);
            EXPECT_EQ(recorder.epochs().at(i).breakdown.shares, alone.epochs[i].breakdown.shares)
                << "the critical path comes from what any observer is told";
        }
    }
}

} // namespace
} // namespace alxsim::sim
