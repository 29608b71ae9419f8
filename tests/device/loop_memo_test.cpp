// SPDX-License-Identifier: Apache-2.0
#include "sim/memo/loop_memo.h"

#include "base/input_error.h"
#include "tests/device/remembering.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace alxsim::sim {
namespace {

/// Machines on which all devices leave a collective together.
std::vector<Machine> even_machines()
{
    return {machine_of("tpu_v4", 16), easy_machine(4, "1x4", {false, true}),
            easy_machine(4, "2x2", {false, false})};
}

TEST(LoopMemo, SkipsALoopOfCollectives)
{
    for (const Machine& machine : even_machines()) {
        EXPECT_GT(skipped(machine, {repeat_of(256, {collective(1 << 16)})}), 80);
        EXPECT_GT(skipped(with_slow_cores(machine), {repeat_of(256, {collective(1 << 16)})}), 80);
    }
}

TEST(LoopMemo, IsExactWhereDevicesLeaveACollectiveOneAfterAnother)
{
    for (const Machine& machine : machines()) {
        skipped(machine, {repeat_of(64, {collective(1 << 16)})});
        const Op loop =
            repeat_of(30, {vector_of(1 << 18), stream_of(100'000), collective(1 << 14, {0, 1}),
                           vector_of(12'345, {}, "aside")});
        skipped(machine, {loop});
        skipped(machine, {vector_of(77'777), loop, collective(999, {1}), vector_of(5555, {1})});
    }
}

TEST(LoopMemo, SkipsComputeThatMeetsInACollective)
{
    const Op loop = repeat_of(64, {vector_of(1 << 25), collective(1 << 14, {0})});
    for (const Machine& machine : even_machines()) {
        EXPECT_GT(skipped(machine, {loop}), 20);
        EXPECT_GT(skipped(with_slow_cores(machine), {loop}), 10);
    }
    // On a mesh the devices in the middle are ready first: they compute while others receive.
    EXPECT_GT(skipped(machine_of("tpu_v5e", 16), {loop}), 10);
    EXPECT_GT(skipped(with_slow_cores(machine_of("tpu_v5e", 16)), {loop}), 10);
}

TEST(LoopMemo, SkipsWhereEarlyDevicesGoOnWhileLateOnesStillReceive)
{
    // On lines the last device leaves a collective long after the first: nothing is ever at rest.
    const Op loop =
        repeat_of(256, {vector_of(1 << 12), stream_of(4096, {0}), collective(1 << 16, {1})});
    for (const int cores : {64, 128}) {
        EXPECT_GT(skipped(machine_of("tpu_v3", cores), {loop}), 10) << cores;
    }
    EXPECT_GT(skipped(easy_machine(16, "1x16", {false, false}), {loop}), 10);
}

TEST(LoopMemo, SkipsALoopThatSwings)
{
    // The late devices of one iteration are not those of the next: it comes back after several.
    const Op loop = repeat_of(256, {stream_of(1 << 14), collective(1 << 16, {0})});
    EXPECT_GT(skipped(machine_of("tpu_v3", 128), {loop}), 5);
}

TEST(LoopMemo, IsExactForEveryKindOfCollective)
{
    for (const Machine& machine : machines()) {
        for (const auto kind :
             {model::CollectiveKind::all_gather, model::CollectiveKind::reduce_scatter,
              model::CollectiveKind::all_to_all}) {
            skipped(machine, {repeat_of(20, {vector_of(54'321), collective(1 << 14, {0}, kind),
                                             vector_of(1 << 12, {1}, "after")})});
            skipped(machine, {repeat_of(20, {collective(1 << 14, {}, kind), vector_of(1 << 22)})});
        }
    }
}

Op loop_of_loops()
{
    const Op inner = repeat_of(20, {vector_of(1 << 16), stream_of(10'000)}, "", {0});
    const Op middle =
        repeat_of(9, {collective(1 << 10), inner, collective(1 << 12, {1}), vector_of(99, {2})});
    return repeat_of(15, {middle, vector_of(4444, {0})});
}

TEST(LoopMemo, SkipsLoopsInLoops)
{
    for (const Machine& machine : even_machines()) {
        EXPECT_GT(skipped(machine, {loop_of_loops()}), 100);
    }
}

TEST(LoopMemo, IsExactForLoopsInLoops)
{
    for (const Machine& machine : machines()) {
        skipped(machine, {loop_of_loops()});
        skipped(machine, {vector_of(333), loop_of_loops(), collective(1 << 9, {1})});
    }
}

TEST(LoopMemo, SkipsWhatADeviceDoesByItself)
{
    for (const Machine& machine : machines()) {
        std::vector<std::int64_t> counts;
        for (int device = 0; device < machine.devices; ++device) {
            counts.push_back(1 + device * 5 % 31);
        }
        const Counts cg{{"cg", counts}};
        const auto graph =
            graph_of({repeat_of(1, {vector_of(1 << 14)}, "cg"), collective(1 << 10, {0}),
                      repeat_of(1, {stream_of(33'333), vector_of(10, {0})}, "cg", {1})});
        EXPECT_GT(skipped(machine, {{graph, cg, 1}, {graph, cg, 1}, {graph, cg, 2}}), 1.2);
        skipped(machine, {repeat_of(90, {stream_of(33'333), vector_of(10, {0})})});
    }
}

/// `op` at a size of each device's own: `work_on(device)`.
template <class WorkOn>
Op of_each_device(Op op, const Machine& machine, WorkOn work_on)
{
    std::vector<model::Work> works;
    for (int device = 0; device < machine.devices; ++device) {
        works.push_back(work_on(device));
    }
    op.work_of_device = std::make_shared<const std::vector<model::Work>>(std::move(works));
    return op;
}

TEST(LoopMemo, IsExactWhereDevicesDoNotDoTheSame)
{
    for (const Machine& machine : machines()) {
        const Op vectors = of_each_device(vector_of(1 << 20), machine, [](int device) {
            return vector_of((1 << 12) + device * 7919 % 13 * 10'000).work;
        });
        const Op streams = of_each_device(stream_of(100'000), machine, [](int device) {
            return stream_of(device % 3 * 33'333).work;
        });
        Op after_both = collective(1 << 14, {0, 1});
        EXPECT_GT(skipped(machine, {repeat_of(90, {vectors})}), 10);
        skipped(machine, {repeat_of(90, {streams, vectors})});
        skipped(machine, {repeat_of(40, {vectors, streams, after_both})});
        skipped(machine, {vectors, repeat_of(20, {repeat_of(9, {streams}), vectors, after_both}),
                          collective(999, {1})});
    }
}

TEST(LoopMemo, SkipsWhatTheDevicesOfAChipDoTogether)
{
    const Machine pairs = machine_of("tpu_v3", 16);
    const std::vector<Op> loop{repeat_of(90, {stream_of(33'333), vector_of(10, {0})})};
    EXPECT_GT(skipped(pairs, loop), 20);
    // A fast and a slow one get into each other's way at the HBM in ever new ways.
    skipped(with_slow_cores(pairs), loop);
}

TEST(LoopMemo, LeavesAloneWhatIsNotAtRest)
{
    for (const Machine& machine : machines()) {
        // Beside the loop, another one and a long op; an infeed, whose host works ahead.
        skipped(machine, {repeat_of(20, {vector_of(1 << 14)}), repeat_of(30, {stream_of(7777)}),
                          vector_of(1 << 20)});
        skipped(machine, {repeat_of(9, {op_of(model::infeed_of(Bytes(1 << 16)), {}, "infeed"),
                                        collective(1 << 10, {0})})});
    }
}

TEST(LoopMemo, StopsDevicesOnlyWhereTheyDoNotDisturbThoseThatAreBehind)
{
    // Every third iteration is as it was; between, early devices send while late ones still
    // receive.
    const Machine machine = with_slow_cores(easy_machine(8, "2x4", {false, true}));
    for (const int log_bytes : {17, 18}) {
        skipped(machine,
                {vector_of(1 << 20),
                 repeat_of(60, {collective(1 << log_bytes), vector_of(1 << 24, {0})}, "", {0})});
    }
}

TEST(LoopMemo, IsExactForGraphsOfAllShapes)
{
    const std::vector<Machine> all = machines();
    std::vector<unsigned> seeds(100);
    std::iota(seeds.begin(), seeds.end(), 300);
    // Graph 353 finds out who takes two reports for neighbours that have others between them, and
    // 170 who counts messages from a cut before the last.
    seeds.push_back(170);
    for (const unsigned seed : seeds) {
        RandomGraphs random(seed);
        const Machine& machine = all[seed % all.size()];
        std::vector<std::int64_t> counts;
        for (int device = 0; device < machine.devices; ++device) {
            counts.push_back(random.number(0, 1) == 0 ? 5 : random.number(0, 30));
        }
        std::vector<Op> body = random.ops(2, true);
        const auto graph = graph_of({repeat_of(random.number(3, 12), std::move(body))});
        SCOPED_TRACE(seed);
        skipped(machine, {{graph, {{"cg", counts}}, 1}, {graph, {{"cg", counts}}, 2}});
    }
}

TEST(LoopMemo, SplitsEpochsOfDevicesThatNeverMeet)
{
    // Device 0 runs ahead: the first epoch ends in the middle of iterations that it has skipped.
    const Machine machine = machine_of("tpu_v3", 2);
    const auto graph =
        graph_of({repeat_of(1, {vector_of(1 << 20), vector_of(5, {0}, "rest")}, "cg")});
    EXPECT_GT(skipped(machine, {{graph, {{"cg", {10, 3000}}}, 1},
                                {graph, {{"cg", {9000, 2000}}}, 2},
                                {graph, {{"cg", {7, 13}}}, 3}}),
              100);
}

TEST(LoopMemo, KeepsToLoopsOfFewIterations)
{
    const Machine machine = machine_of("tpu_v5e", 4);
    for (int times = 0; times < 6; ++times) {
        skipped(machine, {repeat_of(times, {collective(1 << 10)}), vector_of(99, {0})});
        skipped(machine, {repeat_of(times, {})});
    }
}

TEST(LoopMemo, RefusesALoopThatSimulatedTimeCannotHold)
{
    const Op loop = repeat_of(10'000'000'000'000, {collective(1 << 10)});
    EXPECT_THROW(run(machine_of("tpu_v5e", 4), {{graph_of({loop}), {}, 1}}, true), InputError);
}

/// Every core at a clock of its own, up to a tenth lower.
Machine with_uneven_cores(Machine machine)
{
    std::mt19937 random(7);
    for (int device = 0; device < machine.devices; ++device) {
        machine.faults.device_speed.push_back(1 - static_cast<double>(random() % 1000) * 1e-4);
    }
    return machine;
}

std::vector<Op> long_loop(std::int64_t iterations)
{
    return {vector_of(1 << 15),
            repeat_of(iterations,
                      {vector_of(1 << 16), stream_of(1 << 14, {0}), collective(1 << 14, {1})}, "",
                      {0}),
            vector_of(1 << 15, {1})};
}

/// With a barrier before each collective even cores at clocks of their own come back.
TEST(LoopMemo, LeavesOutMostOfALoopWhoseDevicesMeetWhateverTheirClocks)
{
    const Machine uneven = with_uneven_cores(machine_of("tpu_v3", 32));
    const Machine drifting = with_slow_cores(machine_of("tpu_v3", 32));
    for (const Machine& machine :
         {machine_of("tpu_v3", 32), machine_of("tpu_v4", 16), drifting, uneven}) {
        const std::vector<model::Step> steps{{graph_of(long_loop(500)), {}, 1}};
        const SimulationResult exact = run(machine, steps, false);
        const SimulationResult remembered = run(machine, steps, true);
        EXPECT_GT(remembered.statistics.value("loop_skips"), 0);
        EXPECT_LT(remembered.statistics.value("activities"),
                  0.1 * exact.statistics.value("activities"));
        EXPECT_EQ(remembered.epochs.at(0).finish, exact.epochs.at(0).finish);
    }
}

} // namespace
} // namespace alxsim::sim
