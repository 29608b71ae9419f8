// SPDX-License-Identifier: Apache-2.0
#include "model/job_estimate.h"

#include "base/input_error.h"
#include "model/hbm/hbm_rates.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace alxsim::model {
namespace {

using topologies::Machine;

/// One chip of one device whose overheads are round: a microsecond to launch an op, 2 us of DMA
/// latency, tiles of 1000 bytes, HBM with a peak of a byte per nanosecond.
Machine easy_device(double dispatch = 0, double overhead = 0)
{
    return machine_of("tpu_v5e", 1,
                      {{"op_overhead_s", 1e-6},
                       {"dma_latency_s", 2e-6},
                       {"dma_tile_bytes", 1000},
                       {"hbm_bw_chip", 1e9},
                       {"clock_hz", 1e9},
                       {"while_iteration_s", 3e-6},
                       {"pcie_bw_chip_oneway", 1e9},
                       {"step_dispatch_s", dispatch},
                       {"program_overhead_s", overhead}});
}

/// What the banks of that HBM take to stream so many bytes: more than a nanosecond each.
Picoseconds streamed(std::int64_t bytes)
{
    HbmAccess access;
    access.read = Bytes(bytes);
    return hbm_cost(access, easy_device()).alone;
}

Breakdown step_of(const std::vector<Op>& ops, const Machine& machine, const Counts& counts = {})
{
    return AnalyticModel(machine).step({graph_of(ops), counts, 1}).on_device;
}

/// Vector work of so many nanoseconds at 1 GHz: 1024 elements on 4096 ALUs are a quarter cycle.
Op vector_taking(std::int64_t cycles, std::vector<int> after = {},
                 const std::string& phase = "work")
{
    return op_of(Vector{1024, 4.0 * static_cast<double>(cycles), DType::f32}, std::move(after),
                 phase);
}

Op fused(std::int64_t cycles, std::int64_t bytes)
{
    Op op = vector_taking(cycles);
    op.reads = {{"outside", Bytes(bytes)}};
    return op;
}

void expect_sums(const Breakdown& breakdown)
{
    Picoseconds phases(0);
    for (const auto& [phase, time] : breakdown.phases) {
        phases += time;
    }
    Picoseconds shares(0);
    for (const Picoseconds time : breakdown.shares) {
        shares += time;
    }
    EXPECT_EQ(phases, breakdown.total);
    EXPECT_EQ(shares, breakdown.total);
}

TEST(Estimate, OfAnOpInVmemIsLaunchAndCompute)
{
    const Breakdown step = step_of({vector_taking(5000)}, easy_device());
    EXPECT_EQ(step.total, nanoseconds(1000 + 5000));
    EXPECT_EQ(step.share(Share::host), nanoseconds(1000));
    EXPECT_EQ(step.share(Share::compute), nanoseconds(5000));
}

TEST(Estimate, OfAFusedOpIsLaunchFillAndTheLongerOfComputeAndTheRestOfItsBytes)
{
    // 10000 bytes: a first tile of 1000 after 2 us, 9000 beside the compute.
    const Picoseconds whole = streamed(10'000);
    EXPECT_GT(whole, nanoseconds(10'000));
    const Picoseconds fill = nanoseconds(2000) + Picoseconds(ceil_divide(whole.count(), 10));
    const Breakdown computing = step_of({fused(200'000, 10'000)}, easy_device());
    EXPECT_EQ(computing.total, nanoseconds(1000) + fill + nanoseconds(200'000));
    EXPECT_EQ(computing.share(Share::hbm), fill);
    EXPECT_EQ(computing.share(Share::compute), nanoseconds(200'000));
    const Breakdown moving = step_of({fused(5000, 10'000)}, easy_device());
    EXPECT_EQ(moving.total, nanoseconds(1000 + 2000) + whole);
    EXPECT_EQ(moving.share(Share::hbm), nanoseconds(2000) + whole);
    EXPECT_EQ(moving.share(Share::compute), Picoseconds(0));
}

TEST(Estimate, LetsWhatIsNotOrderedOverlapOnDifferentUnits)
{
    const Op stream = op_of(stream_of(Bytes(10'000), Bytes(0)));
    EXPECT_EQ(step_of({stream, vector_taking(5000)}, easy_device()).total,
              nanoseconds(3000) + streamed(10'000));
    EXPECT_EQ(step_of({vector_taking(5000), vector_taking(5000)}, easy_device()).total,
              nanoseconds(12'000));
}

/// List scheduling by looking at every op each time: whatever can start first, ties by program
/// order.
Picoseconds scheduled_one_by_one(const std::vector<Op>& ops, const Machine& machine)
{
    std::vector<Picoseconds> finish(ops.size(), Picoseconds(-1));
    std::map<std::size_t, Picoseconds> free; // by the kind of work, each on a unit of its own
    for (std::size_t left = ops.size(); left > 0; --left) {
        std::size_t best = ops.size();
        Picoseconds best_start(0);
        for (std::size_t i = 0; i < ops.size(); ++i) {
            Picoseconds start = free[ops[i].work.index()];
            bool ready = finish[i] < Picoseconds(0);
            for (const int before : ops[i].after) {
                const Picoseconds end = finish[static_cast<std::size_t>(before)];
                ready = ready && end >= Picoseconds(0);
                start = std::max(start, end);
            }
            if (ready && (best == ops.size() || start < best_start)) {
                best = i;
                best_start = start;
            }
        }
        Op alone = ops[best];
        alone.after.clear();
        finish[best] = best_start + step_of({alone}, machine).total;
        free[ops[best].work.index()] = finish[best];
    }
    return *std::max_element(finish.begin(), finish.end());
}

TEST(Estimate, StartsWhateverCanStartFirst)
{
    const Machine machine = easy_device();
    std::mt19937 random(3);
    for (int graph = 0; graph < 20; ++graph) {
        std::vector<Op> ops;
        for (int i = 0; i < 40; ++i) {
            std::vector<int> after;
            for (int before = 0; before < i; ++before) {
                if (random() % 12 == 0) {
                    after.push_back(before);
                }
            }
            const auto size = static_cast<std::int64_t>(1 + random() % 9);
            ops.push_back(random() % 2 == 0
                              ? vector_taking(1000 * size, after)
                              : op_of(Matmul{1, 128 * size, 128, 128, DType::bf16}, after));
        }
        EXPECT_EQ(step_of(ops, machine).total, scheduled_one_by_one(ops, machine)) << graph;
    }
}

TEST(Estimate, OfOpsThatMoveBytesAtOnceSharesTheHbm)
{
    const Op stream = op_of(stream_of(Bytes(100'000), Bytes(0)));
    EXPECT_GE(step_of({stream, fused(10, 100'000)}, easy_device()).total, nanoseconds(200'000));
}

TEST(Estimate, OfARepeatIsItsBodyAndTheLoopEveryTime)
{
    EXPECT_EQ(step_of({repeat_of(10, {vector_taking(5000)})}, easy_device()).total,
              nanoseconds(10 * (3000 + 6000)));
    EXPECT_EQ(step_of({repeat_of(2, {repeat_of(3, {vector_taking(5000)})})}, easy_device()).total,
              nanoseconds(2 * (3000 + 3 * (3000 + 6000))));
    EXPECT_EQ(step_of({repeat_of(0, {vector_taking(5000)})}, easy_device()).total, Picoseconds(0));
}

TEST(Estimate, IteratesAsOftenAsTheSlowestDevice)
{
    const Op repeat = repeat_of(99, {vector_taking(5000)}, "cg");
    EXPECT_EQ(step_of({repeat}, easy_device(), {{"cg", {2, 4, 3}}}).total,
              nanoseconds(4 * (3000 + 6000)));
}

TEST(Estimate, KeepsComputeClearOfCollectivesWhereTheyDoNotOverlap)
{
    const std::vector<Op> ops{op_of(Collective{CollectiveKind::all_gather, Bytes(64'000)}),
                              vector_taking(1000)};
    for (const bool overlap : {false, true}) {
        const Machine machine =
            machine_of("tpu_v6e", 4, {{"collectives_overlap_compute", overlap}});
        const Picoseconds one = step_of({ops[0]}, machine).total;
        const Picoseconds other = step_of({ops[1]}, machine).total;
        EXPECT_EQ(step_of(ops, machine).total, overlap ? std::max(one, other) : one + other);
    }
}

TEST(Estimate, AddsUpExactlyByPhaseAndByShare)
{
    const Machine machine = machine_of("tpu_v3", 64);
    const std::vector<StepGroup> program{
        {{graph_of({op_of(infeed_of(Bytes(12'345)), {}, "infeed"),
                    op_of(RowGather{777, Bytes(256), 0, AccessPattern::uniform, 0}, {0}, "gather"),
                    op_of(Collective{CollectiveKind::all_reduce, Bytes(77'777)}, {1}, "combine"),
                    repeat_of(7, {vector_taking(1234, {}, "solve")}, "cg", {2})}),
          {{"cg", std::vector<std::int64_t>(64, 3)}},
          1},
         1001},
        {{graph_of({vector_taking(99'999)}), {}, 1}, 17}};
    const Breakdown total = estimate(program, machine);
    EXPECT_GT(total.total, Picoseconds(0));
    EXPECT_EQ(total.phases.count("combine"), 1u);
    expect_sums(total);
}

/// What one more step adds to a long run of them.
Picoseconds period(const Step& step, const Machine& machine)
{
    return estimate({{step, 1001}}, machine).total - estimate({{step, 1000}}, machine).total;
}

TEST(Period, IsTheDispatchWhereStepsAreShorter)
{
    EXPECT_EQ(period({graph_of({vector_taking(5000)}), {}, 1}, easy_device(100e-6, 10e-6)),
              nanoseconds(100'000));
}

TEST(Period, IsTheDeviceTimeWhereStepsAreLonger)
{
    EXPECT_EQ(period({graph_of({vector_taking(499'000)}), {}, 1}, easy_device(100e-6, 10e-6)),
              nanoseconds(10'000 + 500'000));
}

/// Vector work of so many nanoseconds on each device.
Op vectors_of(std::vector<std::int64_t> cycles, std::vector<int> after = {})
{
    std::vector<Work> works;
    for (const std::int64_t of_device : cycles) {
        works.push_back(vector_taking(of_device).work);
    }
    Op op = vector_taking(*std::max_element(cycles.begin(), cycles.end()), std::move(after));
    op.work_of_device = std::make_shared<const std::vector<Work>>(std::move(works));
    return op;
}

TEST(WorkOfDevices, TakesAsLongAsOnTheSlowestOpByOp)
{
    const Machine pair = machine_of("tpu_v5e", 2, {{"op_overhead_s", 1e-6}, {"clock_hz", 1e9}});
    EXPECT_EQ(step_of({vectors_of({4000, 9000})}, pair).total, nanoseconds(10'000));
    EXPECT_EQ(step_of({vectors_of({4000, 9000}), vectors_of({8000, 100}, {0})}, pair).total,
              nanoseconds(10'000 + 9000));
}

TEST(WorkOfDevices, IsOneForEachOfTheOpsKind)
{
    const Machine pair = machine_of("tpu_v5e", 2);
    const auto refusal = [&pair](const Op& op) {
        try {
            step_of({op}, pair);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    EXPECT_NE(refusal(vectors_of({1, 2, 3}))
                  .find("work_of_device: found 3 entries; allowed: one for each of 2 devices"),
              std::string::npos);
    Op op = vectors_of({1, 2});
    op.work = infeed_of(Bytes(1));
    EXPECT_NE(
        refusal(op).find("/ops/0/work_of_device/0/work: found vector; allowed: copy from host"),
        std::string::npos);
    op.work = Collective{CollectiveKind::all_reduce, Bytes(1)};
    EXPECT_NE(refusal(op).find("/ops/0/work_of_device: found for work \"collective\""),
              std::string::npos);
}

TEST(Period, IsTheInfeedWhereNothingHidesIt)
{
    const Machine machine = easy_device(100e-6, 10e-6);
    AnalyticModel model(machine);
    const Op infeed = op_of(infeed_of(Bytes(700'000)), {}, "infeed");
    const Step step{graph_of({infeed, vector_taking(5000, {0})}), {}, 1};
    EXPECT_EQ(model.step(step).infeed.transfer, nanoseconds(700'000));
    EXPECT_EQ(period(step, machine), nanoseconds(700'000));
    EXPECT_GE(estimate({{step, 1000}}, machine).phases.at("infeed"), nanoseconds(600'000'000));
    const Step repeated{graph_of({repeat_of(3, {infeed})}), {}, 1};
    EXPECT_EQ(model.step(repeated).infeed.transfer, nanoseconds(3 * 700'000));
}

TEST(EstimateOfAProgram, HidesTheDispatchOfAShortStepBehindALongOne)
{
    const Machine machine = easy_device(100e-6, 10e-6);
    const Step longer{graph_of({vector_taking(499'000)}), {}, 1};
    const Step shorter{graph_of({vector_taking(4'000)}), {}, 1};
    // Dispatched while the long step ran, the short one costs its own 5 us and the overhead.
    EXPECT_EQ(estimate({{longer, 1}, {shorter, 1}}, machine).total,
              nanoseconds(100'000 + 510'000 + 10'000 + 5'000));
}

TEST(EstimateOfAProgram, OfManyEqualStepsIsTheSameWhetherAddedAtOnceOrOneByOne)
{
    const Machine machine = easy_device(100e-6, 10e-6);
    const Step step{
        graph_of({op_of(infeed_of(Bytes(120'000)), {}, "infeed"), vector_taking(70'000, {0})}),
        {},
        1};
    EXPECT_EQ(estimate({{step, 500}}, machine).total,
              estimate(std::vector<StepGroup>(500, StepGroup{step, 1}), machine).total);
}

TEST(EstimateOfAProgram, IsTheFirstDispatchAndItsPeriods)
{
    const Machine machine = easy_device(100e-6, 10e-6);
    const std::vector<StepGroup> program{{{graph_of({vector_taking(499'000)}), {}, 1}, 1000}};
    EXPECT_EQ(estimate(program, machine).total, nanoseconds(100'000 + 1000 * 510'000));
}

TEST(LinkBytesOfAStep, CountRepeatedCollectives)
{
    const Machine line = easy_machine(2, "1x2", {false, false});
    const Op gather = op_of(Collective{CollectiveKind::all_gather, Bytes(2000)});
    AnalyticModel model(line);
    EXPECT_EQ(model.link_bytes({graph_of({gather, repeat_of(4, {gather}, "", {0})}), {}, 1}),
              Bytes(5 * 2000));
}

} // namespace
} // namespace alxsim::model
