// SPDX-License-Identifier: Apache-2.0
#include "sim/one_chip.h"

#include "model/collectives/collective_progress.h"
#include "tests/device/remembering.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

/// One chip instead of all: the same picoseconds, or it says that it does not tell.
namespace alxsim::sim {
namespace {

using model::CollectiveKind;
using topologies::SliceRequest;

std::optional<SimulationResult> by_one_chip(const Machine& machine,
                                            const std::vector<model::Step>& steps)
{
    SimulatorOptions options;
    options.one_chip = true;
    ListedSteps source(steps);
    Simulator simulator(machine, options);
    try {
        return simulator.run(source);
    } catch (const ChipsDiffer&) {
        return std::nullopt;
    }
}

std::optional<SimulationResult> by_one_chip(const Machine& machine, const std::vector<Op>& ops,
                                            const Counts& counts = {})
{
    return by_one_chip(machine, {{graph_of(ops), counts, 1}});
}

/// Slices all of whose axes wrap, with one and two devices a chip.
std::vector<Machine> tori()
{
    std::vector<Machine> all{machine_of("tpu_v3", SliceRequest{32, "4x4", {{true, true}}}),
                             machine_of("tpu_v5e", SliceRequest{16, "4x4", {{true, true}}}),
                             machine_of("tpu_7x", 128), easy_pairs(12, "3x4", {true, true})};
    for (std::size_t i = 0; i < 4; ++i) {
        all.push_back(all[i]);
        all.back().schedule = topologies::ScheduleChoice::xla;
        all.back().network.collectives_overlap_compute = true;
        all.back().network.all_gathers_overlap_compute = true;
    }
    for (const std::size_t i : {0, 1, 2, 5}) { // and with slow ones among them
        all.push_back(with_slow_cores(all[i]));
    }
    return all;
}

/// Steps of ops of every kind, in loops and out of them.
class RandomSteps {
public:
    explicit RandomSteps(unsigned seed) : draw_(seed) {}

    std::vector<model::Step> steps()
    {
        const auto first = graph_of(ops(2 + below(5), true));
        const auto second = graph_of(ops(1 + below(3), true));
        return {{first, {}, 1}, {first, {}, 1}, {second, {}, 2}, {first, {}, 3}};
    }

private:
    int below(int bound) { return static_cast<int>(draw_() % static_cast<unsigned>(bound)); }

    std::vector<Op> ops(int count, bool loops)
    {
        std::vector<Op> all;
        for (int i = 0; i < count; ++i) {
            Op op = loops && below(4) == 0 ? repeat_of(1 + below(20), ops(1 + below(3), false))
                                           : simple();
            for (int before = 0; before < i; ++before) {
                if (below(3) == 0) {
                    op.after.push_back(before);
                }
            }
            all.push_back(std::move(op));
        }
        return all;
    }

    Op simple()
    {
        const std::int64_t size = std::int64_t{200 + below(100)} << below(6);
        switch (below(7)) {
        case 0:
            return op_of(model::Matmul{1, size, 256, 512});
        case 1:
            return vector_of(size * 1000);
        case 2:
            return stream_of(size * 4001);
        case 3:
            return op_of(model::RowGather{size * 10, Bytes(512), 1'000'000});
        case 4:
            return op_of(model::infeed_of(Bytes(size * 100)));
        default:
            return collective(size * 4096, {},
                              below(2) == 0 ? CollectiveKind::all_reduce
                                            : CollectiveKind::all_gather);
        }
    }

    std::minstd_rand draw_;
};

TEST(OneChip, TellsWhatAllDoToThePicosecond)
{
    int told = 0;
    int told_with_slow = 0;
    int drawn = 0;
    for (const Machine& machine : tori()) {
        for (unsigned seed = 1; seed <= 25; ++seed) {
            const std::vector<model::Step> steps = RandomSteps(1000 * seed + drawn % 7).steps();
            ++drawn;
            const std::optional<SimulationResult> one = by_one_chip(machine, steps);
            if (!one) {
                continue;
            }
            ++told;
            told_with_slow += machine.faults.device_speed.empty() ? 0 : 1;
            const SimulationResult all = run(machine, steps, true);
            ASSERT_EQ(one->epochs.size(), all.epochs.size());
            for (std::size_t i = 0; i < all.epochs.size(); ++i) {
                EXPECT_EQ(one->epochs[i].finish, all.epochs[i].finish) << "seed " << seed;
                EXPECT_EQ(one->epochs[i].breakdown.total, all.epochs[i].breakdown.total);
                EXPECT_EQ(one->epochs[i].breakdown.phases, all.epochs[i].breakdown.phases);
                EXPECT_EQ(one->epochs[i].breakdown.shares, all.epochs[i].breakdown.shares);
            }
        }
    }
    EXPECT_GT(told, drawn / 2) << "of " << drawn;
    EXPECT_GT(told_with_slow, 50);
}

TEST(OneChip, IsNotAskedWhereChipsDiffer)
{
    const std::vector<Op> ops{vector_of(100'000), collective(1 << 16, {0})};
    const Machine torus = machine_of("tpu_v5e", SliceRequest{16, "4x4", {{true, true}}});
    EXPECT_TRUE(by_one_chip(torus, ops));
    EXPECT_FALSE(by_one_chip(machine_of("tpu_v5e", 16), ops)) << "lines";
    EXPECT_FALSE(by_one_chip(machine_of("tpu_v5e", 1), ops)) << "there is but one";
    Machine worn = torus; // every other device
    for (int device = 0; device < worn.devices; ++device) {
        worn.faults.device_speed.push_back(device % 2 == 0 ? 1 : 0.9);
    }
    EXPECT_FALSE(by_one_chip(worn, ops));
    EXPECT_FALSE(by_one_chip(torus, {collective(1 << 16, {}, CollectiveKind::broadcast)}));
    EXPECT_FALSE(by_one_chip(
        torus, {op_of(model::Collective{CollectiveKind::all_reduce, Bytes(1 << 16), {}, {"x"}})}));

    Op loop = repeat_of(1, {vector_of(100'000)});
    std::get<model::Repeat>(loop.work).counter = "rounds";
    std::vector<std::int64_t> rounds(16, 3);
    EXPECT_TRUE(by_one_chip(torus, {loop}, {{"rounds", rounds}}));
    rounds[7] = 4;
    EXPECT_FALSE(by_one_chip(torus, {loop}, {{"rounds", rounds}}));
}

/// The work of a step of equal chips, by the ops that are simulated, whatever the slice.
TEST(OneChip, CostsTheSameOnAnySlice)
{
    const std::vector<Op> ops{vector_of(100'000), collective(1 << 20, {0}),
                              repeat_of(50, {vector_of(4000), collective(1 << 12, {0})}, "", {1})};
    const auto small = by_one_chip(machine_of("tpu_7x", 128), ops);
    const auto large = by_one_chip(machine_of("tpu_7x", 8192), ops);
    ASSERT_TRUE(small && large);
    const auto slow = by_one_chip(with_slow_cores(machine_of("tpu_7x", 8192)), ops);
    ASSERT_TRUE(slow);
    const std::int64_t most = small->statistics.value("activities");
    EXPECT_LT(most, 1000);
    // Loops become periodic a turn earlier or later.
    EXPECT_LE(large->statistics.value("activities"), most + most / 4);
    EXPECT_LE(slow->statistics.value("activities"), 4 * (most + most / 4)) << "four chips";
}

TEST(PlannedCollective, GrowsWithTheLengthOfARing)
{
    model::AxisPhase around;
    around.exchange = model::Exchange::gather;
    around.shard = Bytes(1 << 20);
    model::NetworkAxis axis;
    axis.wraps = true;
    axis.bytes_per_second = 1e9;
    for (const int length : {64, 4096}) {
        axis.length = length;
        const model::PlannedPhase planned(model::PhasePlan(around, axis), length, 0, 0);
        EXPECT_EQ(planned.places.size(), 2U * static_cast<std::size_t>(length));
        EXPECT_LE(planned.needs.size(), 2U * static_cast<std::size_t>(length));
        for (const int position : {0, 1, length - 1}) {
            for (const int way : {model::up, model::down}) {
                const auto& place = planned.place(position, way);
                EXPECT_EQ(place.sends, planned.plan.sends(position, way));
                for (int sent = 0; sent < place.sends; ++sent) {
                    const std::size_t at = place.first_need + static_cast<std::size_t>(sent);
                    ASSERT_EQ(planned.needs.at(at),
                              planned.plan.needs(position, way, place.first_step + sent));
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::sim
