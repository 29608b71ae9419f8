// SPDX-License-Identifier: Apache-2.0
// The four schedules where transfers take no time, beside their closed forms.
#include "base/json_document.h"
#include "free_transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace alxsim::offload {
namespace {

constexpr double microsecond = 1e-6;
constexpr double unit = 1e-3; ///< of the times below, in seconds

struct Layers {
    int count;
    double forward, backward, optimizer;
};

double closed_form(Schedule schedule, const Layers& layers)
{
    const double count = layers.count;
    const double f = layers.forward;
    const double b = layers.backward;
    const double o = layers.optimizer;
    switch (schedule) {
    case Schedule::sync:
        return count * (f + b + o);
    case Schedule::fifo:
        return count * f + std::max(count * b + o, b + count * o);
    default:
        return std::max(count * (f + b), count * o);
    }
}

double lower_bound_of_edf(const Layers& layers)
{
    return std::max(layers.count * (layers.forward + layers.backward) + layers.optimizer,
                    layers.count * layers.optimizer);
}

TwoEngines times(Schedule schedule, const Layers& layers, int buffers = 4)
{
    OffloadShape shape{schedule, layers.count};
    shape.buffers = buffers;
    const StepOps ops =
        free_transfers(layers.forward * unit, layers.backward * unit, layers.optimizer * unit);
    const TwoEngines seconds = seconds_of(shape, ops);
    return {seconds.estimated / unit, seconds.simulated / unit};
}

void expect_time(const TwoEngines& found, double expected, const std::string& of)
{
    EXPECT_NEAR(found.estimated * unit, expected * unit, microsecond) << of;
    EXPECT_NEAR(found.simulated * unit, expected * unit, microsecond) << of;
}

std::string words(Schedule schedule, const Layers& layers)
{
    return std::string(name_of_value(schedule)) + " of " + std::to_string(layers.count) + " (" +
           std::to_string(layers.forward) + ", " + std::to_string(layers.backward) + ", " +
           std::to_string(layers.optimizer) + ")";
}

const std::vector<Layers> many_layers{{1, 3, 5, 4},    {2, 10, 20, 25}, {8, 10, 20, 5},
                                      {8, 10, 20, 20}, {8, 10, 20, 30}, {8, 10, 20, 50},
                                      {32, 7, 15, 9},  {17, 5, 11, 40}, {12, 9, 1, 30}};

TEST(OffloadClosedForms, SyncFifoAndStaleTakeThemToTheMicrosecond)
{
    for (const Layers& layers : many_layers) {
        for (const Schedule schedule : {Schedule::sync, Schedule::fifo, Schedule::stale}) {
            expect_time(times(schedule, layers), closed_form(schedule, layers),
                        words(schedule, layers));
        }
    }
}

TEST(OffloadClosedForms, EdfIsBetweenItsBoundAndFifo)
{
    for (const Layers& layers : many_layers) {
        const TwoEngines edf = times(Schedule::edf, layers);
        EXPECT_NEAR(edf.estimated, edf.simulated, microsecond / unit);
        EXPECT_GE(edf.simulated, lower_bound_of_edf(layers) - microsecond / unit)
            << words(Schedule::edf, layers);
        EXPECT_LE(edf.simulated, closed_form(Schedule::fifo, layers) + microsecond / unit)
            << words(Schedule::edf, layers);
    }
}

Json golden()
{
    return load_json(ALXSIM_SOURCE_DIR "/tests/golden/data/workloads/offload.json");
}

TEST(OffloadClosedForms, AllFourAsAnIndependentEventSimulationHasThem)
{
    const Json cases = golden().at("closed_forms");
    ASSERT_EQ(cases.size(), 3U);
    for (const Json& one : cases) {
        const Layers layers{one.at("L"), one.at("f"), one.at("b"), one.at("o")};
        for (const auto& [name, schedule] : value_names(Schedule())) {
            expect_time(times(schedule, layers), one.at("simulated").at(name),
                        words(schedule, layers));
        }
    }
    // From the facts: a longer optimizer is hidden, until nothing of it is left to hide.
    expect_time(times(Schedule::edf, {8, 10, 20, 20}), 260, "o 20");
    expect_time(times(Schedule::edf, {8, 10, 20, 30}), 300, "o 30");
    expect_time(times(Schedule::edf, {8, 10, 20, 50}), 440, "o 50");
}

TEST(OffloadClosedForms, OfThePublishedStepOfZeroInfinity)
{
    // 50B parameters in 62 layers on a DGX-2: forward, backward and optimizer in seconds.
    const Layers layers{62, 53.6 / 62 / unit, 152.7 / 62 / unit, 92.6 / 62 / unit};
    const Json seconds = golden().at("zero_infinity_dgx2").at("seconds");
    for (const auto& [name, schedule] : value_names(Schedule())) {
        const TwoEngines found = times(schedule, layers);
        EXPECT_NEAR(found.simulated * unit, seconds.at(name).get<double>(), 1e-4) << name;
        EXPECT_NEAR(found.estimated * unit, seconds.at(name).get<double>(), 1e-4) << name;
    }
    const double sync = times(Schedule::sync, layers).estimated;
    EXPECT_NEAR(sync / times(Schedule::fifo, layers).estimated, 1.438, 5e-4);
    EXPECT_NEAR(sync / times(Schedule::stale, layers).estimated, 1.449, 5e-4);
}

TEST(OffloadClosedForms, MoreStepsBeforeTheOneThatIsToldChangeNothing)
{
    const topologies::Machine machine = one_chip();
    for (const Layers& layers : many_layers) {
        const StepOps ops =
            free_transfers(layers.forward * unit, layers.backward * unit, layers.optimizer * unit);
        for (const Schedule schedule : {Schedule::fifo, Schedule::edf, Schedule::stale}) {
            const OffloadShape shape{schedule, layers.count};
            const OptimizerOrder order =
                schedule == Schedule::edf ? earliest_deadline_first(shape, times_of(ops, machine))
                                          : order_of_gradients(layers.count);
            const TwoEngines few = seconds_of(offload_program(shape, ops, order), machine);
            const TwoEngines many = seconds_of(offload_program(shape, ops, order, 8), machine);
            EXPECT_NEAR(few.estimated, many.estimated, microsecond) << words(schedule, layers);
            EXPECT_NEAR(few.simulated, many.simulated, microsecond) << words(schedule, layers);
        }
    }
}

} // namespace
} // namespace alxsim::offload
