// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>

/// Ops whose size is not the same on all devices.
namespace alxsim::sim {
namespace {

using model::Op;
using model::Work;
using topologies::Machine;

/// Lookups of 512 bytes each, so many on each device, into a table in HBM.
Op gather_of(const std::vector<std::int64_t>& rows, std::vector<int> after = {})
{
    const auto gather = [](std::int64_t count) {
        return model::RowGather{count, Bytes(512), 1 << 20};
    };
    Op op = op_of(gather(*std::max_element(rows.begin(), rows.end())), std::move(after), "gather");
    std::vector<Work> works;
    for (const std::int64_t of_device : rows) {
        works.push_back(gather(of_device));
    }
    op.work_of_device = std::make_shared<const std::vector<Work>>(std::move(works));
    return op;
}

Op gather_of(std::int64_t rows, std::vector<int> after = {})
{
    return op_of(model::RowGather{rows, Bytes(512), 1 << 20}, std::move(after), "gather");
}

Op reduce(std::vector<int> after)
{
    return op_of(model::Collective{model::CollectiveKind::all_reduce, Bytes(1 << 16)},
                 std::move(after), "reduce");
}

/// From `most` on downwards, the largest on another device for another `first`.
std::vector<std::int64_t> falling(const Machine& machine, std::int64_t most, int first = 0)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(machine.devices));
    for (int i = 0; i < machine.devices; ++i) {
        rows[static_cast<std::size_t>((first + i) % machine.devices)] = most - i * 997;
    }
    return rows;
}

std::vector<Machine> machines_of_two_kinds()
{
    return {machine_of("tpu_v5e", 8), machine_of("tpu_v3", 8), machine_of("tpu_v4", 16)};
}

TEST(WorkOfDevices, TakesTheSlowestDevicesTime)
{
    for (const Machine& machine : machines_of_two_kinds()) {
        const auto uneven = graph_of({gather_of(falling(machine, 50'000, 3))});
        const auto largest = graph_of({gather_of(50'000)});
        EXPECT_NEAR(simulated(machine, uneven) / simulated(machine, largest), 1, 1e-6);
        EXPECT_EQ(estimated(machine, uneven), estimated(machine, largest));
        EXPECT_NEAR(estimated(machine, uneven) / simulated(machine, uneven), 1, 1e-4);
    }
}

TEST(WorkOfDevices, KeepsTheOthersWaitingAtTheNextCollective)
{
    for (const Machine& machine : machines_of_two_kinds()) {
        // The second gather is slowest on another device than the first.
        const auto uneven =
            graph_of({gather_of(falling(machine, 50'000)), reduce({0}),
                      gather_of(falling(machine, 40'000, machine.devices / 2), {1}), reduce({2})});
        const auto largest =
            graph_of({gather_of(50'000), reduce({0}), gather_of(40'000, {1}), reduce({2})});
        EXPECT_NEAR(simulated(machine, uneven) / simulated(machine, largest), 1, 0.01);
        EXPECT_EQ(estimated(machine, uneven), estimated(machine, largest));
        EXPECT_NEAR(estimated(machine, uneven) / simulated(machine, uneven), 1, 0.03);
    }
}

TEST(WorkOfDevices, DoesNotAddUpWhereNobodyWaits)
{
    for (const Machine& machine : machines_of_two_kinds()) {
        const auto uneven =
            graph_of({gather_of(falling(machine, 50'000)),
                      gather_of(falling(machine, 50'000, machine.devices / 2), {0})});
        EXPECT_LT(simulated(machine, uneven),
                  simulated(machine, graph_of({gather_of(50'000), gather_of(50'000, {0})})));
        EXPECT_GT(estimated(machine, uneven), simulated(machine, uneven));
    }
}

TEST(WorkOfDevices, MovesTheBytesOfEachDevice)
{
    const Machine machine = machine_of("tpu_v5e", 4);
    const SimulationResult result =
        simulate(machine, steps_of(graph_of({gather_of({10, 20, 30, 1000})})));
    EXPECT_EQ(result.statistics.value("hbm_bytes"), 1060 * 512);
}

TEST(WorkOfDevices, OfOneSizeIsTheOpsOwn)
{
    for (const Machine& machine : machines_of_two_kinds()) {
        const std::vector<std::int64_t> same(static_cast<std::size_t>(machine.devices), 12'345);
        EXPECT_EQ(simulated(machine, graph_of({gather_of(same), reduce({0})})),
                  simulated(machine, graph_of({gather_of(12'345), reduce({0})})));
    }
}

TEST(WorkOfDevices, OfAnotherNumberOfDevicesIsRefused)
{
    const auto graph = graph_of({gather_of({1, 2, 3})});
    EXPECT_THROW(simulated(machine_of("tpu_v5e", 4), graph), InputError);
}

} // namespace
} // namespace alxsim::sim
