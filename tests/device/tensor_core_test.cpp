// SPDX-License-Identifier: Apache-2.0
#include "sim/tensor_core.h"

#include "tests/device/running.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

using model::DType;
using model::Share;
using topologies::Machine;

model::Op reading(model::Op op, std::int64_t bytes)
{
    op.reads = {{"outside", Bytes(bytes)}};
    return op;
}

/// Ops of every kind that a device does by itself.
std::vector<model::Op> local_ops()
{
    return {op_of(model::Matmul{4, 512, 128, 128, DType::bf16, 1, true}),
            reading(op_of(model::Matmul{64, 512, 128, 128, DType::f32, 6, true}), 1 << 22),
            op_of(model::Vector{12'345, 3, DType::f32}),
            reading(op_of(model::Vector{12'345, 3, DType::f32}), 1 << 22),
            reading(op_of(model::Vector{1 << 22, 30, DType::f32}), 1000),
            op_of(model::stream_of(Bytes(12'345'678), Bytes(87'654))),
            op_of(model::RowGather{1234, Bytes(256), 0, model::AccessPattern::uniform, 0}),
            op_of(model::RowGather{1234, Bytes(65'536), 0, model::AccessPattern::clamped, 0}),
            op_of(model::RowScatter{1234, Bytes(256), 0, false}),
            op_of(model::RowScatter{321, Bytes(65'536), 0, true}),
            repeat_of(5, {op_of(model::Vector{12'345, 3, DType::f32})})};
}

TEST(TensorCore, TakesTheModelsTimeForAnyOpByItself)
{
    for (const std::string& chip : topologies::Preset::names()) {
        const Machine machine =
            machine_of(chip, 2 * (chip == "tpu_v5e" || chip == "tpu_v6e" ? 2 : 1));
        const std::vector<model::Op> ops = local_ops();
        for (std::size_t i = 0; i < ops.size(); ++i) {
            // To the picosecond but for one: the model rounds the first tile and the rest up each.
            EXPECT_NEAR(static_cast<double>(simulated(machine, ops[i]).count()),
                        static_cast<double>(estimated(machine, ops[i]).count()), 2)
                << chip << ", op " << i;
        }
    }
}

TEST(TensorCore, TakesTheModelsTimeToThePicosecondWhereNoBytesMove)
{
    const Machine machine = machine_of("tpu_v3", 8);
    for (const model::Op& op :
         {op_of(model::Matmul{4, 512, 128, 128, DType::bf16, 1, true}),
          op_of(model::Vector{12'345, 3, DType::f32}),
          op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(12'345)})}) {
        EXPECT_EQ(simulated(machine, op), estimated(machine, op));
    }
}

TEST(TensorCore, BeginsAnInfeedBeforeItsStepIsDispatched)
{
    // That is why an infeed by itself differs from the model, which knows long runs of steps only:
    // the host sends the first batch while it dispatches.
    const Machine machine = machine_of("tpu_v5e", 1);
    const SimulationResult result =
        simulate(machine, steps_of(graph_of({op_of(model::infeed_of(Bytes(16'000'000)))})));
    EXPECT_EQ(result.epochs.at(0).finish, nanoseconds(1'000'000)); // 16 MB at 16 GB/s
}

TEST(TensorCore, RunsOneOpPerUnitAtATimeInProgramOrder)
{
    const Machine machine = machine_of("tpu_v5e", 1);
    const model::Op vector = op_of(model::Vector{1 << 22, 4, DType::f32});
    const model::Op matmul = op_of(model::Matmul{4, 512, 128, 128, DType::bf16, 1, true});
    const Picoseconds one = simulated(machine, vector);
    EXPECT_EQ(simulated(machine, graph_of({vector, vector, vector})), one * 3);
    EXPECT_EQ(simulated(machine, graph_of({vector, matmul})),
              std::max(one, simulated(machine, matmul)));
}

TEST(TensorCore, KeepsOffEveryUnitDuringACollectiveThatDoesNotOverlap)
{
    using model::CollectiveKind;
    const model::Op vector = op_of(model::Vector{1 << 22, 4, DType::f32});
    const auto overlaps = [&](CollectiveKind kind, const Machine& machine) {
        const model::Op collective = op_of(model::Collective{kind, Bytes(1 << 20)});
        const Picoseconds one = simulated(machine, collective);
        const Picoseconds other = simulated(machine, vector);
        const Picoseconds both = simulated(machine, graph_of({collective, vector}));
        EXPECT_EQ(both, estimated(machine, graph_of({collective, vector})));
        EXPECT_TRUE(both == std::max(one, other) || both == one + other);
        return both < one + other;
    };
    // By default (order of compiled schedules): all-gathers on v5e and 7x, permutes from v4 on, all
    // but all-to-alls on 7x.
    for (const auto& [chip, gathers, reductions, permutes] :
         {std::tuple("tpu_v3", false, false, false),
          {"tpu_v4", false, false, true},
          {"tpu_v5e", true, false, true},
          {"tpu_v6e", false, false, true},
          {"tpu_7x", true, true, true}}) {
        const Machine machine = machine_of(chip, 16);
        EXPECT_EQ(overlaps(CollectiveKind::all_gather, machine), gathers) << chip;
        EXPECT_EQ(overlaps(CollectiveKind::all_reduce, machine), reductions) << chip;
        EXPECT_EQ(overlaps(CollectiveKind::reduce_scatter, machine), reductions) << chip;
        EXPECT_EQ(overlaps(CollectiveKind::permute, machine), permutes) << chip;
        EXPECT_FALSE(overlaps(CollectiveKind::all_to_all, machine)) << chip;
    }
    const Machine asked = machine_of("tpu_v3", 16, {{"collectives_overlap_compute", true}});
    EXPECT_TRUE(overlaps(CollectiveKind::all_to_all, asked));
}

TEST(TensorCore, LetsACollectiveSayForItselfWhetherItOverlaps)
{
    const model::Op vector = op_of(model::Vector{1 << 22, 4, DType::f32});
    for (const char* chip : {"tpu_v3", "tpu_7x"}) {
        const Machine machine = machine_of(chip, 16);
        const auto both = [&](model::Overlap overlap) {
            model::Collective gather{model::CollectiveKind::all_gather, Bytes(1 << 20)};
            gather.overlap = overlap;
            const auto graph = graph_of({op_of(gather), vector});
            EXPECT_EQ(simulated(machine, graph), estimated(machine, graph));
            return simulated(machine, graph);
        };
        EXPECT_LT(both(model::Overlap::async), both(model::Overlap::sync)) << chip;
    }
}

TEST(TensorCore, CountsTheOpsOfRepeatsEveryTime)
{
    const SimulationResult result =
        simulate(machine_of("tpu_v3", 2),
                 steps_of(graph_of({repeat_of(5, {op_of(model::Vector{8, 1, DType::f32})})}), 3));
    EXPECT_EQ(result.statistics.value("ops_executed"), 2 * 3 * (1 + 5));
}

TEST(TensorCore, IteratesARepeatOfNoTimesNotAtAll)
{
    const Machine machine = machine_of("tpu_v3", 2);
    const model::Op vector = op_of(model::Vector{8, 1, DType::f32});
    EXPECT_EQ(simulated(machine, repeat_of(0, {vector})), Picoseconds(0));
    EXPECT_EQ(simulated(machine, graph_of({})), Picoseconds(0));
    EXPECT_EQ(simulated(machine, repeat_of(3, {})),
              to_picoseconds(machine.device.while_iteration) * 3);
}

Machine with_slow_core(Machine machine, double speed, int slow = 1)
{
    machine.faults.device_speed.assign(static_cast<std::size_t>(machine.devices), 1.0);
    machine.faults.device_speed[static_cast<std::size_t>(slow)] = speed;
    return machine;
}

TEST(TensorCore, ComputesInTheModelsTimeOnASlowCore)
{
    const model::Op all_reduce =
        op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1 << 16)}, {0});
    const Machine even = machine_of("tpu_v5e", 4);
    for (const model::Op& compute : {op_of(model::Vector{1 << 22, 4, DType::f32}),
                                     op_of(model::Matmul{4, 512, 128, 128, DType::bf16, 1, true}),
                                     reading(op_of(model::Vector{1 << 22, 9, DType::f32}), 999)}) {
        const auto step = graph_of({compute, all_reduce});
        const Machine slow = with_slow_core(even, 0.5);
        // The collective begins when the slow core arrives, but for what its fellows could do
        // before that: nothing, in an all-reduce, that anybody waits for.
        EXPECT_LE(simulated(slow, step), estimated(slow, step) + Picoseconds(2));
        EXPECT_GT(simulated(slow, step), simulated(even, step));
        EXPECT_NEAR(simulated(slow, step) / estimated(slow, step), 1, 0.02);
        EXPECT_NEAR(static_cast<double>((simulated(slow, graph_of({compute}))).count()),
                    static_cast<double>(estimated(slow, graph_of({compute})).count()), 2);
    }
}

TEST(TensorCore, IsNeverFasterForASlowCore)
{
    const auto step =
        graph_of({op_of(model::Vector{1 << 20, 4, DType::f32}),
                  reading(op_of(model::Vector{1 << 18, 3, DType::f32}, {0}), 1 << 20),
                  op_of(model::Collective{model::CollectiveKind::all_gather, Bytes(1 << 16)}, {1}),
                  op_of(model::Matmul{4, 512, 128, 128, DType::bf16, 1, true}, {2})});
    for (const int slow : {0, 3, 7}) {
        Picoseconds before = simulated(machine_of("tpu_v3", 8), step);
        for (const double speed : {0.99, 0.7, 0.5, 0.3, 0.1, 0.01}) {
            const Machine machine = with_slow_core(machine_of("tpu_v3", 8), speed, slow);
            const Picoseconds time = simulated(machine, step);
            EXPECT_GE(time, before);
            EXPECT_LE(time, estimated(machine, step) * 2);
            before = time;
        }
    }
}

TEST(TensorCore, LaunchesAndMovesBytesAtFullSpeedOnASlowCore)
{
    const Machine even = machine_of("tpu_v3", 4);
    const Machine slow = with_slow_core(even, 0.25);
    for (const model::Op& op :
         {op_of(model::stream_of(Bytes(12'345'678), Bytes(87'654))),
          op_of(model::RowGather{1234, Bytes(256), 0, model::AccessPattern::uniform, 0}),
          op_of(model::RowScatter{321, Bytes(65'536), 0, true}), repeat_of(5, {}),
          op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(12'345)})}) {
        EXPECT_EQ(simulated(slow, op), simulated(even, op));
        EXPECT_EQ(estimated(slow, op), estimated(even, op));
    }
}

} // namespace
} // namespace alxsim::sim
