// SPDX-License-Identifier: Apache-2.0
#include "model/collectives/collective_group.h"
#include "model/schedules/schedule_choice.h"
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using model::PairMessage;
using topologies::Machine;
using topologies::SliceRequest;

/// Machines, collectives and entries at random.
class RandomNetworks {
public:
    explicit RandomNetworks(unsigned seed) : engine_(seed) {}

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
    bool coin() { return number(0, 1) == 1; }

    /// Lines, rings, planes and boxes of a few chips, of one device or two each.
    Machine machine()
    {
        const int axes = number(0, 2) == 0 ? 3 : 2;
        std::string shape;
        std::vector<bool> wrap;
        int chips = 1;
        for (int axis = 0; axis < axes; ++axis) {
            const int length = axes == 3 ? number(1, 4) : number(1, axis == 0 ? 5 : 9);
            chips *= length;
            shape += (axis == 0 ? "" : "x") + std::to_string(length);
            wrap.push_back(coin());
        }
        const bool pair = coin();
        const std::string chip =
            axes == 3 ? (pair ? "tpu_7x" : "tpu_v4") : (pair ? "tpu_v3" : "tpu_v5e");
        const int cores_per_chip = chip == "tpu_v5e" ? 1 : 2;
        model::Overrides overrides{{"ici_hop_software_frac", 0.25 * number(0, 4)}};
        if (number(0, 3) == 0) {
            overrides.emplace_back("ici_packet_bytes", 256 << number(0, 4));
        }
        if (number(0, 3) == 0) {
            overrides.emplace_back("ici_vc_buffer_bytes", 4096 * number(1, 40));
        }
        return machine_of(chip, SliceRequest{cores_per_chip * chips, shape, wrap}, overrides);
    }

    /// Draws one of any kind; some with messages of their own, some routed, some of a group.
    Collective collective(const Machine& machine)
    {
        Collective result;
        result.kind = static_cast<CollectiveKind>(number(0, 5));
        result.bytes = Bytes(number(1, 1 << number(4, 20)));
        for (const std::string& axis : machine.slice.axis_names()) {
            if (number(0, 5) == 0) {
                result.group.push_back(axis);
            }
        }
        if (result.kind == CollectiveKind::all_to_all && coin()) {
            result.schedule.algorithm = model::ScheduleAlgorithm::routed;
        }
        if (result.kind == CollectiveKind::permute && coin()) {
            result.group.clear();
            result.messages = messages(machine);
        }
        if (model::has_root(result.kind)) {
            const int devices = model::group_of(result, machine).devices;
            result.kind =
                result.bytes.count() % 2 == 0 ? CollectiveKind::broadcast : CollectiveKind::reduce;
            result.root = static_cast<int>(result.bytes.count() % devices);
        }
        return result;
    }

    /// One link slower, with luck.
    void break_something(Machine& machine)
    {
        const int axis = number(0, static_cast<int>(machine.slice.axes().size()) - 1);
        const int chip = number(0, machine.slice.chips() - 1);
        if (coin() && machine.slice.neighbour(chip, axis, +1)) {
            machine.faults.links = {{chip, axis, 0.25 * number(1, 3)}};
        }
    }

    /// When each device is ready: all at once, or some late.
    std::vector<Picoseconds> entries(const Machine& machine)
    {
        std::vector<Picoseconds> ready(static_cast<std::size_t>(machine.devices));
        const int most = coin() ? 0 : 1 << number(0, 27);
        for (Picoseconds& time : ready) {
            time = Picoseconds(coin() ? 0 : number(0, most));
        }
        return ready;
    }

private:
    std::shared_ptr<const std::vector<PairMessage>> messages(const Machine& machine)
    {
        std::vector<PairMessage> result;
        for (int i = number(1, 3 * machine.devices); i > 0; --i) {
            result.push_back({number(0, machine.devices - 1), number(0, machine.devices - 1),
                              Bytes(number(0, 1 << number(0, 17)))});
        }
        return std::make_shared<const std::vector<PairMessage>>(std::move(result));
    }

    std::mt19937 engine_;
};

struct Result {
    std::vector<std::vector<Picoseconds>> done; ///< [collective][device]
    std::vector<int> completions;               ///< [collective]
    NetworkUse use;
    NetworkCounters counters;
    std::int64_t predicted = 0;
    std::int64_t replayed = 0;
    std::int64_t disturbed = 0;
    bool idle = false;
};

/// All collectives under way at once, each entered as `ready` says.
Result run(const Machine& machine, const std::vector<Schedule>& schedules,
           const std::vector<std::vector<Picoseconds>>& ready, bool remember = true)
{
    const FreshContext context;
    Network network("network", machine, remember);
    const auto devices = static_cast<std::size_t>(machine.devices);
    Result result;
    result.done.assign(schedules.size(), std::vector<Picoseconds>(devices));
    result.completions.resize(schedules.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        for (std::size_t device = 0; device < devices; ++device) {
            network.enter(static_cast<int>(device), schedules[i], ready[i][device],
                          ready[i][device], {}, [&result, i, device](const CollectiveDone&) {
                              result.done[i][device] = now();
                              ++result.completions[i];
                          });
        }
    }
    sc_core::sc_start();
    result.use = network.use();
    result.counters = network.counters();
    Statistics statistics;
    network.declare_statistics(statistics);
    result.predicted = statistics.value("collectives_predicted");
    result.replayed = statistics.value("collectives_replayed");
    result.disturbed = statistics.value("collectives_disturbed");
    result.idle = network.idle();
    return result;
}

Picoseconds last_of(const std::vector<Picoseconds>& times)
{
    return *std::max_element(times.begin(), times.end());
}

Schedule schedule_of(const Collective& collective, const Machine& machine)
{
    return std::make_shared<const model::CollectiveSchedule>(
        model::make_schedule(collective, machine));
}

std::string description(const Machine& machine, const Collective& collective)
{
    return machine.preset.name() + " " + machine.slice.shape() + ": " +
           model::to_json(op_of(collective)).dump();
}

TEST(Collectives, BeatNoBoundAndLoseNothingHoweverTheyAreEntered)
{
    for (unsigned seed = 0; seed < 150; ++seed) {
        RandomNetworks random(seed);
        Machine machine = random.machine();
        random.break_something(machine);
        const Collective collective = random.collective(machine);
        const Schedule schedule = schedule_of(collective, machine);
        const std::vector<Picoseconds> ready = random.entries(machine);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + description(machine, collective));
        const Result result = run(machine, {schedule}, {ready});
        ASSERT_EQ(result.completions[0], machine.devices);
        EXPECT_TRUE(result.idle);
        EXPECT_EQ(result.use.link_bytes, model::link_bytes(*schedule, machine.devices));
        for (std::size_t device = 0; device < ready.size(); ++device) {
            EXPECT_GE(result.done[0][device], ready[device]);
        }
        const Picoseconds last = last_of(result.done[0]);
        EXPECT_GE(to_seconds(last).count(),
                  model::collective_bound(collective, machine).count() - 1e-12);
    }
}

TEST(Collectives, WithLateMembersTakeNoLongerThanTheLatestsLatenessMore)
{
    for (unsigned seed = 0; seed < 150; ++seed) {
        RandomNetworks random(seed);
        Machine machine = random.machine();
        machine.network.vc_buffer = Bytes(0); // the schedule knows links that are kept full only
        const Collective collective = random.collective(machine);
        const Schedule schedule = schedule_of(collective, machine);
        const std::vector<Picoseconds> ready = random.entries(machine);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + description(machine, collective));
        if (schedule->messages.empty()) {
            const Picoseconds alone = model::schedule_time(*schedule);
            const std::vector<Picoseconds> at_once(ready.size());
            EXPECT_EQ(last_of(run(machine, {schedule}, {at_once}, false).done[0]), alone);
            // Colours that take turns on a link in another order may cost a chunk.
            EXPECT_LE(last_of(run(machine, {schedule}, {ready}).done[0]),
                      last_of(ready) + alone + alone / 1000);
        }
    }
}

void expect_equal_use(const Result& one, const Result& other)
{
    EXPECT_EQ(one.counters.messages, other.counters.messages);
    EXPECT_EQ(one.counters.message_hops, other.counters.message_hops);
    EXPECT_EQ(one.counters.on_chip_bytes, other.counters.on_chip_bytes);
    for (std::size_t i = 0; i < one.counters.links.size(); ++i) {
        EXPECT_EQ(one.counters.links[i].bytes, other.counters.links[i].bytes);
        EXPECT_EQ(one.counters.links[i].busy, other.counters.links[i].busy);
        EXPECT_EQ(one.counters.links[i].packets, other.counters.links[i].packets);
    }
}

/// Which is as if played packet by packet.
Result as_played(const Machine& machine, const std::vector<Schedule>& schedules,
                 const std::vector<std::vector<Picoseconds>>& ready)
{
    const Result quick = run(machine, schedules, ready);
    const Result played = run(machine, schedules, ready, false);
    EXPECT_EQ(quick.done, played.done);
    expect_equal_use(quick, played);
    return quick;
}

/// A machine like those of RandomNetworks, most of them with links that their buffers keep full.
Machine machine_with_quick_links(RandomNetworks& random)
{
    Machine machine = random.machine();
    if (random.number(0, 3) > 0) {
        machine.network.vc_buffer = Bytes(0);
    }
    if (random.number(0, 5) == 0) {
        random.break_something(machine);
    }
    return machine;
}

TEST(Collectives, GoAsPredictedWhereOneChipTellsAllOthers)
{
    std::int64_t predicted = 0;
    for (unsigned seed = 2000; seed < 2500; ++seed) {
        RandomNetworks random(seed);
        const Machine machine = machine_with_quick_links(random);
        const Collective collective = random.collective(machine);
        const std::vector<Picoseconds> ready(static_cast<std::size_t>(machine.devices),
                                             Picoseconds(random.number(0, 1000)));
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + description(machine, collective));
        predicted += as_played(machine, {schedule_of(collective, machine)}, {ready}).predicted;
    }
    EXPECT_GT(predicted, 60);
}

TEST(Collectives, GoAsReplayedWhoeverIsLate)
{
    std::int64_t replayed = 0;
    for (unsigned seed = 3000; seed < 3600; ++seed) {
        RandomNetworks random(seed);
        const Machine machine = machine_with_quick_links(random);
        const Collective collective = random.collective(machine);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + description(machine, collective));
        replayed +=
            as_played(machine, {schedule_of(collective, machine)}, {random.entries(machine)})
                .replayed;
    }
    EXPECT_GT(replayed, 150);
}

/// The second one begins while some are ready for the first, or done with it.
TEST(Collectives, ThatAreDisturbedGoAsPlayed)
{
    std::int64_t disturbed = 0;
    for (unsigned seed = 4000; seed < 4400; ++seed) {
        RandomNetworks random(seed);
        const Machine machine = machine_with_quick_links(random);
        const std::vector<Schedule> schedules{schedule_of(random.collective(machine), machine),
                                              schedule_of(random.collective(machine), machine)};
        std::vector<std::vector<Picoseconds>> ready{random.entries(machine),
                                                    random.entries(machine)};
        const Result alone = run(machine, {schedules.front()}, {ready.front()});
        const auto some = static_cast<std::size_t>(random.number(0, machine.devices - 1));
        const Picoseconds later = random.coin() ? ready.front()[some] : alone.done.front()[some];
        for (Picoseconds& time : ready.back()) {
            time += later;
        }
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + machine.slice.shape());
        disturbed += as_played(machine, schedules, ready).disturbed;
    }
    EXPECT_GT(disturbed, 20);
}

TEST(Collectives, OnTwistedToriAndOfAllSchedulesGoAsPredicted)
{
    std::int64_t predicted = 0;
    std::int64_t replayed = 0;
    for (const Machine& machine :
         {machine_of("tpu_v4", SliceRequest{256, "4x4x8", {}, true}),
          machine_of("tpu_7x", SliceRequest{54, "3x3x3", {{true, true, true}}}),
          machine_of("tpu_v3", SliceRequest{60, "5x6", {{true, true}}}),
          machine_of("tpu_v5e", SliceRequest{15, "3x5", {{true, false}}})}) {
        for (const CollectiveKind kind :
             {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
              CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
            const Collective collective{kind, Bytes(1'234'567)};
            for (const model::CollectiveSchedule& candidate :
                 model::candidate_schedules(collective, machine)) {
                const auto schedule = std::make_shared<const model::CollectiveSchedule>(candidate);
                std::vector<Picoseconds> ready(static_cast<std::size_t>(machine.devices));
                SCOPED_TRACE(description(machine, collective) + ", " + candidate.name);
                predicted += as_played(machine, {schedule}, {ready}).predicted;
                for (std::size_t device = 0; device < ready.size(); ++device) {
                    ready[device] =
                        Picoseconds(static_cast<std::int64_t>(device * 7919 % 13) * 99'991);
                }
                replayed += as_played(machine, {schedule}, {ready}).replayed;
            }
        }
    }
    EXPECT_GT(predicted, 20);
    EXPECT_GT(replayed, 10) << "on lines: elsewhere one chip tells all, whoever is late";
}

TEST(Collectives, SeveralAtOnceAllEndAndCarryTheirBytes)
{
    for (unsigned seed = 1000; seed < 1080; ++seed) {
        RandomNetworks random(seed);
        const Machine machine = random.machine();
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + machine.slice.shape());
        std::vector<Schedule> schedules;
        std::vector<std::vector<Picoseconds>> ready;
        Bytes bytes(0);
        for (int i = random.number(2, 4); i > 0; --i) {
            schedules.push_back(schedule_of(random.collective(machine), machine));
            ready.push_back(random.entries(machine));
            bytes += model::link_bytes(*schedules.back(), machine.devices);
        }
        const Result result = run(machine, schedules, ready);
        for (const int completions : result.completions) {
            ASSERT_EQ(completions, machine.devices);
        }
        EXPECT_TRUE(result.idle);
        EXPECT_EQ(result.use.link_bytes, bytes);
        EXPECT_EQ(run(machine, schedules, ready, false).done, result.done);
    }
}

} // namespace
} // namespace alxsim::sim
