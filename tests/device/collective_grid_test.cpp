// SPDX-License-Identifier: Apache-2.0
#include "tests/device/collective_alone.h"
#include "tests/device/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace alxsim::sim {
namespace {

using model::Collective;
using model::CollectiveKind;
using topologies::Machine;
using topologies::SliceRequest;

constexpr std::array grid_kinds{CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                CollectiveKind::all_reduce, CollectiveKind::permute,
                                CollectiveKind::broadcast,  CollectiveKind::all_to_all,
                                CollectiveKind::reduce};
constexpr std::array names{"all_gather", "reduce_scatter", "all_reduce", "all_to_all",
                           "permute",    "broadcast",      "reduce"};

/// Whether the whole grid was asked for; else a part that takes seconds.
bool whole_grid()
{
    const char* set = std::getenv("ALXSIM_FULL_GRID");
    return set != nullptr && std::string(set) == "1";
}

std::vector<std::int64_t> sizes()
{
    if (!whole_grid()) {
        return {1 << 10, 100'000, 64 << 20};
    }
    std::vector<std::int64_t> all{3333, 100'000, 9'999'999};
    for (std::int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
        all.push_back(bytes);
    }
    return all;
}

struct Case {
    std::string which;
    Machine machine;
    Collective collective;
    model::CollectiveSchedule schedule;
    Picoseconds simulated{0};
    Picoseconds scheduled{0};

    double deviation() const
    {
        return simulated == scheduled ? 0 : std::abs(simulated / scheduled - 1);
    }
};

/// What a packet takes, once for every hop of the longest colour, if the schedule has chunks below
/// one; else nothing.
Picoseconds packet_times(const model::CollectiveSchedule& schedule)
{
    Picoseconds most(0);
    bool small = false;
    for (const model::Colour& colour : schedule.colours) {
        Picoseconds sum(0);
        for (const model::AxisPhase& phase : colour.phases) {
            const model::NetworkAxis& axis = schedule.axes[static_cast<std::size_t>(phase.axis)];
            small = small || phase.shard < axis.packet;
            const double packet = static_cast<double>(axis.packet.count());
            sum += to_picoseconds(Seconds(packet / axis.bytes_per_second)) *
                   std::max(phase.steps(axis), axis.diameter());
        }
        most = std::max(most, sum);
    }
    return small ? most : Picoseconds(0);
}

/// The worst case of each kind so far, for people.
class Worst {
public:
    void note(const Case& found)
    {
        ++cases_;
        Entry& entry = entries_[static_cast<std::size_t>(found.collective.kind)];
        if (entry.which.empty() || found.deviation() > entry.deviation) {
            entry = {found.deviation(), found.which};
        }
    }
    void print() const
    {
        std::cout << cases_ << " cases, largest deviations from the schedule:\n";
        for (std::size_t kind = 0; kind < entries_.size(); ++kind) {
            const Entry& entry = entries_[kind];
            if (!entry.which.empty()) {
                std::cout << "  " << 100 * entry.deviation << " %: " << entry.which << "\n";
                testing::Test::RecordProperty(names[kind], std::to_string(entry.deviation));
            }
        }
    }

private:
    struct Entry {
        double deviation = 0;
        std::string which;
    };
    std::array<Entry, names.size()> entries_;
    int cases_ = 0;
};

void expect_bound(const Case& found)
{
    EXPECT_GE(to_seconds(found.simulated).count(),
              model::collective_bound(found.collective, found.machine).count() - 1e-12)
        << found.which;
}

/// Within 1 % of the schedule, or a packet time per hop for chunks below a packet; never under the
/// bound; with the traffic that the schedule says.
void expect_schedule(const Case& found, const Outcome& outcome)
{
    EXPECT_EQ(outcome.completions, found.machine.devices) << found.which;
    EXPECT_TRUE(outcome.idle) << found.which;
    const double allowed =
        std::max(0.01, packet_times(found.schedule) / std::max(found.scheduled, Picoseconds(1)));
    EXPECT_LE(found.deviation(), allowed)
        << found.which << ": " << found.simulated.count() << " ps, schedule "
        << found.scheduled.count() << " ps (" << found.schedule.name << ")";
    EXPECT_EQ(outcome.use.link_bytes, model::link_bytes(found.schedule, found.machine.devices))
        << found.which;
    expect_bound(found);
}

std::string description(const Machine& machine, const Collective& collective)
{
    std::string text = std::string(names[static_cast<std::size_t>(collective.kind)]) + " of " +
                       std::to_string(collective.bytes.count()) + " bytes on " +
                       machine.preset.name() + " " + machine.slice.shape() +
                       (machine.slice.twisted() ? " twisted" : "");
    for (const topologies::Axis& axis : machine.slice.axes()) {
        text += axis.wraps ? " ring" : " line";
    }
    for (const std::string& axis : collective.group) {
        text += ", along axis " + axis;
    }
    return text + (collective.across_chips ? ", across chips" : "");
}

void run_sizes(const Machine& machine, const std::vector<std::string>& group, Worst& worst)
{
    for (const CollectiveKind kind : grid_kinds) {
        for (const std::int64_t bytes : sizes()) {
            if (kind == CollectiveKind::all_to_all && machine.slice.twisted() && bytes > 1 << 20) {
                continue; // goes routed, packet by packet
            }
            const Collective collective{kind, Bytes(bytes), {}, group};
            Case found{description(machine, collective), machine, collective,
                       model::make_schedule(collective, machine)};
            const Outcome outcome = run_alone(machine, found.schedule);
            found.simulated = outcome.time;
            found.scheduled = model::schedule_time(found.schedule);
            if (found.schedule.messages.empty()) {
                worst.note(found);
                expect_schedule(found, outcome);
            } else {
                expect_bound(found);
            }
        }
    }
}

struct Shape {
    int chips = 1;
    std::string text;
};

Shape row(int chips)
{
    return {chips, "1x" + std::to_string(chips)};
}

/// A part of `all` unless the whole grid was asked for.
std::vector<Shape> of_grid(std::vector<Shape> all, std::size_t part)
{
    if (!whole_grid()) {
        all.resize(std::min(all.size(), part));
    }
    return all;
}

/// v5e has a device a chip, v3 two.
void run_both(const Shape& shape, const std::vector<bool>& wrap, Worst& worst)
{
    run_sizes(machine_of("tpu_v3", SliceRequest{2 * shape.chips, shape.text, wrap}), {}, worst);
    if (shape.chips <= 256 && shape.text != "1x32") { // of pods of 16x16
        run_sizes(machine_of("tpu_v5e", SliceRequest{shape.chips, shape.text, wrap}), {}, worst);
    }
}

TEST(CollectiveGrid, OfLinesKeepsTheSchedule)
{
    Worst worst;
    for (const Shape& shape :
         of_grid({row(2), row(3), row(8), row(4), row(5), row(7), row(13), row(16), row(32)}, 3)) {
        run_both(shape, {false, false}, worst);
    }
    worst.print();
}

TEST(CollectiveGrid, OfRingsKeepsTheSchedule)
{
    Worst worst;
    for (const Shape& shape :
         of_grid({row(5), row(16), row(3), row(4), row(7), row(8), row(13), row(32)}, 2)) {
        run_both(shape, {false, true}, worst);
    }
    worst.print();
}

TEST(CollectiveGrid, OfPlanesKeepsTheSchedule)
{
    Worst worst;
    for (const std::vector<bool>& wrap :
         {std::vector<bool>{false, false}, {true, true}, {false, true}}) {
        for (const Shape& shape : of_grid({{15, "3x5"},
                                           {32, "4x8"},
                                           {4, "2x2"},
                                           {16, "4x4"},
                                           {35, "5x7"},
                                           {64, "8x8"},
                                           {128, "8x16"},
                                           {256, "16x16"},
                                           {512, "16x32"}},
                                          2)) {
            run_both(shape, wrap, worst);
        }
    }
    worst.print();
}

TEST(CollectiveGrid, OfThreeAxesKeepsTheSchedule)
{
    Worst worst;
    for (const Shape& shape : of_grid({{16, "2x2x4"},
                                       {64, "4x4x4"},
                                       {8, "2x2x2"},
                                       {32, "2x4x4"},
                                       {128, "4x4x8"},
                                       {256, "4x8x8"},
                                       {512, "8x8x8"}},
                                      2)) {
        for (const std::string chip : {"tpu_v4", "tpu_7x"}) {
            run_sizes(machine_of(chip, SliceRequest{2 * shape.chips, shape.text, {}}), {}, worst);
        }
    }
    worst.print();
}

TEST(CollectiveGrid, OfGroupsKeepsTheSchedule)
{
    Worst worst;
    run_sizes(machine_of("tpu_v4", 128), {"y"}, worst);
    run_sizes(machine_of("tpu_7x", 128), std::vector<std::string>{"x", "z"}, worst);
    if (whole_grid()) {
        run_sizes(machine_of("tpu_v4", 128), std::vector<std::string>{"x", "y"}, worst);
        run_sizes(machine_of("tpu_v5e", SliceRequest{128, "8x16", {}}), {"x"}, worst);
        run_sizes(machine_of("tpu_v5e", SliceRequest{128, "8x16", {}}), {"y"}, worst);
        run_sizes(machine_of("tpu_v3", 128), {"x"}, worst);
        run_sizes(machine_of("tpu_v3", 128), {"y"}, worst);
    }
    worst.print();
}

/// Axes of which groups are made: none (all), each by itself, and each pair.
std::vector<std::vector<std::string>> axes_of_groups(const Machine& machine)
{
    std::vector<std::vector<std::string>> result{{}};
    const std::vector<std::string> axes = machine.slice.axis_names();
    for (std::size_t first = 0; first < axes.size(); ++first) {
        result.emplace_back(1, axes[first]);
        for (std::size_t second = 0; second < first; ++second) {
            result.push_back(std::vector<std::string>{axes[first], axes[second]});
        }
    }
    return result;
}

/// Equal to the schedule to the picosecond, unless its chunks are below a packet.
void expect_exactly_the_schedule(const Machine& machine, const Collective& collective)
{
    Case found{description(machine, collective), machine, collective,
               model::make_schedule(collective, machine)};
    const Outcome outcome = run_alone(machine, found.schedule);
    found.simulated = outcome.time;
    found.scheduled = model::schedule_time(found.schedule);
    expect_schedule(found, outcome);
    EXPECT_EQ(found.simulated, found.scheduled) << found.which;
}

/// Planes, lines and boxes with axes of length 1 among them.
std::vector<Machine> machines_with_groups()
{
    std::vector<Machine> machines;
    for (const std::string chip : {"tpu_v3", "tpu_v5e"}) {
        const int pair = chip == "tpu_v3" ? 2 : 1;
        for (const Shape& shape : of_grid(
                 {{8, "2x4"}, {15, "3x5"}, {6, "1x6"}, {5, "5x1"}, {32, "4x8"}, {64, "8x8"}}, 4)) {
            for (const std::vector<bool>& wrap :
                 {std::vector<bool>{true, true}, {false, false}, {false, true}}) {
                machines.push_back(
                    machine_of(chip, SliceRequest{pair * shape.chips, shape.text, wrap}));
            }
        }
    }
    machines.push_back(machine_of("tpu_7x", SliceRequest{32, "1x4x4", {}}));
    machines.push_back(machine_of("tpu_v4", SliceRequest{64, "2x4x4", {}}));
    return machines;
}

TEST(CollectiveGrid, OfGroupsWithinAndAcrossChipsIsTheScheduleToThePicosecond)
{
    for (const Machine& machine : machines_with_groups()) {
        for (const std::vector<std::string>& group : axes_of_groups(machine)) {
            for (const CollectiveKind kind : grid_kinds) {
                for (const bool across_chips : {false, true}) {
                    Collective collective{kind, Bytes(333'333), {}, group};
                    collective.across_chips = across_chips;
                    expect_exactly_the_schedule(machine, collective);
                }
            }
        }
    }
}

TEST(CollectiveGrid, FromAnyRootIsTheScheduleToThePicosecond)
{
    for (const Machine& machine :
         {machine_of("tpu_v5e", SliceRequest{5, "1x5", {{false, false}}}),
          machine_of("tpu_v5e", SliceRequest{8, "1x8", {{false, true}}}),
          machine_of("tpu_v5e", SliceRequest{12, "3x4", {{false, true}}}),
          machine_of("tpu_v3", SliceRequest{12, "2x3", {{false, false}}})}) {
        for (const CollectiveKind kind : {CollectiveKind::broadcast, CollectiveKind::reduce}) {
            for (int root = 0; root < machine.devices; ++root) {
                for (const std::int64_t bytes : {3333, 333'333, 8 << 20}) {
                    Collective collective{kind, Bytes(bytes)};
                    collective.root = root;
                    expect_exactly_the_schedule(machine, collective);
                }
            }
        }
    }
}

TEST(CollectiveGrid, OfGroupsAcrossChipsKeepsTheScheduleAtAllSizes)
{
    for (const Machine& machine :
         {machine_of("tpu_v3", SliceRequest{32, "4x4", {{true, true}}}),
          machine_of("tpu_v3", SliceRequest{16, "1x8", {{false, false}}})}) {
        for (const CollectiveKind kind : grid_kinds) {
            for (const std::int64_t bytes : sizes()) {
                Collective collective{kind, Bytes(bytes)};
                collective.across_chips = true;
                expect_exactly_the_schedule(machine, collective);
            }
        }
    }
}

TEST(CollectiveGrid, OfATwistedTorusKeepsTheSchedule)
{
    Worst worst;
    run_sizes(machine_of("tpu_v4", SliceRequest{256, "4x4x8", {}, true}), {}, worst);
    worst.print();
}

} // namespace
} // namespace alxsim::sim
