// SPDX-License-Identifier: Apache-2.0
#include "sim/program_order.h"

#include "tests/device/remembering.h"

#include <gtest/gtest.h>

namespace alxsim::sim {
namespace {

/// A collective behind a stream from HBM, which takes the same on all devices, beside two pieces
/// of work, the first of which is over at about that time.
std::vector<Op> streamed_then_reduced(std::int64_t elements)
{
    return {stream_of(8 << 20), collective(1 << 14, {0}), vector_of(elements),
            vector_of(elements * 4, {2}, "next")};
}

Machine with_last_at(double speed)
{
    Machine machine = easy_machine(4, "1x4", {false, true});
    machine.faults.device_speed = {1, 1, 1, speed};
    return machine;
}

Machine all_at(double speed)
{
    Machine machine = easy_machine(4, "1x4", {false, true});
    machine.faults.device_speed.assign(4, speed);
    return machine;
}

/// As many elements as take what the stream takes on a device at 0.97 of the clock.
std::int64_t elements_of_the_stream()
{
    const Machine machine = all_at(0.97);
    const auto time = [&](std::int64_t elements) {
        return simulated(machine, vector_of(elements)).count();
    };
    const std::int64_t stream = simulated(machine, streamed_then_reduced(1)[0]).count();
    std::int64_t least = 1;
    std::int64_t most = 1 << 28;
    while (most - least > 1) {
        const std::int64_t middle = (least + most) / 2;
        (time(middle) < stream ? least : most) = middle;
    }
    return least;
}

TEST(ProgramOrder, OneSlowDeviceTakesNoLongerThanIfAllWereSlow)
{
    const std::int64_t elements = elements_of_the_stream();
    const auto graph = graph_of({repeat_of(40, streamed_then_reduced(elements))});
    for (const double speed : {0.99, 0.98, 0.975, 0.97, 0.965, 0.96, 0.95, 0.9}) {
        EXPECT_LE(simulated(with_last_at(speed), graph), simulated(all_at(speed), graph)) << speed;
    }
}

TEST(ProgramOrder, ADeviceThatIsABitSlowerTakesABitLonger)
{
    const std::int64_t elements = elements_of_the_stream();
    const auto graph = graph_of(streamed_then_reduced(elements));
    const auto at = [&](double speed) {
        return static_cast<double>(simulated(with_last_at(speed), graph).count());
    };
    const double whole = at(1);
    for (double speed = 0.999; speed > 0.94; speed -= 0.001) {
        EXPECT_LT(at(speed) / at(speed + 0.001), 1.003) << speed;
        EXPECT_LT(at(speed) / whole, 1.001 / speed) << speed;
    }
}

TEST(ProgramOrder, IsTheSameWhereIterationsAreLeftOut)
{
    const std::int64_t elements = elements_of_the_stream();
    for (const double speed : {0.98, 0.97, 0.965, 0.95}) {
        skipped(with_last_at(speed), {repeat_of(40, streamed_then_reduced(elements))});
    }
}

TEST(ProgramOrder, IsOfThoseThatHaveYetToBegin)
{
    const model::CompiledGraph graph;
    const ProgramOrder::Collective collective{&graph, 1};
    ProgramOrder order(2);
    const auto is_ahead = [&](int op, std::int64_t now) {
        return order.is_ahead(collective, 1, op, Picoseconds(now));
    };
    EXPECT_FALSE(is_ahead(5, 9));
    order.put_ahead(collective, 0, 5, Picoseconds(7));
    EXPECT_FALSE(is_ahead(5, 7)) << "at the same moment";
    EXPECT_TRUE(is_ahead(5, 8));
    EXPECT_FALSE(is_ahead(4, 8)) << "of it nobody has decided";
    order.begin(collective, 0, 2);
    order.put_ahead(collective, 0, 6, Picoseconds(9)); // of the next time
    EXPECT_TRUE(is_ahead(5, 10));
    EXPECT_FALSE(is_ahead(6, 10));
    order.begin(collective, 1, 2);
    EXPECT_FALSE(is_ahead(5, 10));
    EXPECT_TRUE(is_ahead(6, 10));
}

} // namespace
} // namespace alxsim::sim
