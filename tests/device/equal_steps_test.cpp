// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "sim/memo/loop_memo.h"

#include "tests/device/remembering.h"

#include <numeric>

namespace alxsim::sim {
namespace {

Op infeed(std::int64_t bytes)
{
    return op_of(model::infeed_of(Bytes(bytes)), {}, "infeed");
}

std::vector<Op> training_step()
{
    return {infeed(100'000), collective(1 << 16, {0}, model::CollectiveKind::all_gather),
            repeat_of(30, {stream_of(33'333), collective(1 << 14, {0})}, "", {1}),
            vector_of(1 << 20, {2}), collective(77'777, {3})};
}

model::Program equal_steps(const std::vector<Op>& ops, std::int64_t times, int epochs = 1)
{
    const auto graph = graph_of(ops);
    model::Program program;
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        program.push_back({{graph, {}, epoch}, times});
    }
    return program;
}

TEST(EqualSteps, AreLeftOutWhereTheyComeBackToWhatTheyWere)
{
    for (const Machine& machine :
         {machine_of("tpu_v3", 16), machine_of("tpu_v3", 64), machine_of("tpu_v4", 16),
          machine_of("tpu_v5e", 16), with_slow_cores(machine_of("tpu_v4", 16))}) {
        EXPECT_GT(skipped_groups(machine, equal_steps(training_step(), 200)), 10);
    }
}

TEST(EqualSteps, AreLeftOutInEveryEpoch)
{
    const Machine machine = machine_of("tpu_v3", 16);
    EXPECT_GT(skipped_groups(machine, equal_steps(training_step(), 100, 3)), 10);
}

TEST(EqualSteps, AreExactHoweverManyThereAre)
{
    const Machine machine = machine_of("tpu_v3", 64);
    for (int times = 0; times < 24; ++times) {
        skipped_groups(machine, equal_steps(training_step(), times));
    }
}

TEST(EqualSteps, AreExactWhereTheHostIsBehind)
{
    // Its dispatch, and then its infeed, takes longer than the step.
    for (const Machine& machine : {machine_of("tpu_v3", 16), machine_of("tpu_v4", 16)}) {
        skipped_groups(machine, equal_steps({collective(1 << 10)}, 100));
        skipped_groups(machine, equal_steps({infeed(100'000'000), collective(1 << 10, {0})}, 100));
        skipped_groups(machine, equal_steps({infeed(1'000'000), collective(1 << 16)}, 100));
    }
}

TEST(EqualSteps, WithoutAnInfeedLeaveTheHostAheadOfLaterOnes)
{
    const Machine machine = machine_of("tpu_v3", 16);
    model::Program program = equal_steps({collective(1 << 16)}, 100);
    program.push_back({{graph_of({infeed(20'000'000), collective(1 << 10, {0})}), {}, 1}, 100});
    program.push_back(program.front());
    EXPECT_GT(skipped_groups(machine, program), 5);
}

TEST(EqualSteps, WithoutACollectiveRunOneByOne)
{
    // Devices that never meet may be in different epochs.
    const Machine machine = with_slow_cores(machine_of("tpu_v3", 8));
    skipped_groups(machine, equal_steps({vector_of(1 << 20), stream_of(1 << 20)}, 50, 2));
}

TEST(EqualSteps, AreExactWhereAVectorOpAndACollectiveAreDoneAtTheSameMoment)
{
    // Both let a stream go, and the one that HBM takes first is the same with and without memory.
    const Machine machine = machine_of("tpu_v5e", 16, {{"collectives_overlap_compute", true}});
    skipped_groups(
        machine,
        equal_steps(
            {repeat_of(6, {vector_of(1 << 24), vector_of(1 << 16), stream_of(131'608, {0})}),
             repeat_of(2, {collective(1 << 12, {}, model::CollectiveKind::reduce_scatter),
                           stream_of(18'745, {0})}),
             repeat_of(1, {vector_of(1 << 24), vector_of(1 << 19, {0})}, "", {0}),
             repeat_of(6,
                       {stream_of(44'759), collective(1 << 17, {0}),
                        collective(1 << 11, {0}, model::CollectiveKind::all_gather),
                        collective(1 << 16, {0}, model::CollectiveKind::reduce_scatter)},
                       "", {0, 1})},
            30));
}

TEST(EqualSteps, AreExactForGraphsOfAllShapes)
{
    const std::vector<Machine> all = machines();
    double most = 0;
    std::vector<unsigned> seeds(60);
    std::iota(seeds.begin(), seeds.end(), 0);
    // Finds out who lets the kernel choose what goes first, an entry or a message of its moment.
    seeds.push_back(2098);
    for (const unsigned seed : seeds) {
        RandomGraphs random(seed);
        const Machine& machine = all[seed % all.size()];
        SCOPED_TRACE(seed);
        model::Program program;
        for (int epoch = 1; epoch <= 2; ++epoch) {
            for (int group = 0; group < 2; ++group) {
                std::vector<Op> ops = random.ops(1, true);
                if (random.number(0, 1) == 0) {
                    ops.push_back(infeed(1 << random.number(10, 24)));
                }
                program.push_back({{graph_of(ops), {}, epoch}, random.number(1, 40)});
            }
        }
        most = std::max(most, skipped_groups(machine, program));
    }
    EXPECT_GT(most, 3);
}

TEST(EqualSteps, ThatSimulatedTimeCannotHoldAreRefused)
{
    EXPECT_THROW(
        run_groups(machine_of("tpu_v5e", 4), equal_steps({collective(1 << 10)}, 1LL << 60), true),
        InputError);
}

TEST(EqualSteps, AreToldAsOnePartWithoutAnOp)
{
    struct Parts : Observer {
        void repeated(const RepeatedPart& part) override
        {
            if (part.run.op == nullptr) {
                parts.push_back(part);
            }
        }
        void step_closed(const ClosedStep& step) override { closed = step.step + 1; }
        std::vector<RepeatedPart> parts;
        std::int64_t closed = 0;
    };
    const Machine machine = machine_of("tpu_v4", 16);
    model::GroupSource source(equal_steps(training_step(), 100));
    Parts told;
    Simulator simulator(machine);
    simulator.attach(told);
    const SimulationResult result = simulator.run(source);
    ASSERT_EQ(told.parts.size(), static_cast<std::size_t>(machine.devices));
    for (const RepeatedPart& part : told.parts) {
        EXPECT_EQ(part.iterations + told.closed, 100);
        EXPECT_EQ(part.skip, told.parts.front().skip);
        EXPECT_LT(part.finish, result.epochs.front().finish);
    }
    EXPECT_EQ(source.again(), 0);
    EXPECT_FALSE(source.next());
}

} // namespace
} // namespace alxsim::sim
