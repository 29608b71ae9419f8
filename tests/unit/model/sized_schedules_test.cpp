// SPDX-License-Identifier: Apache-2.0
// Schedules that are set to other bytes and rates are those that would be built for them.
#include "model/schedules/schedule_choice.h"

#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::SliceRequest;

/// With what the compiler chooses: schedules that are set to a size are for it alone.
Machine compiled_for(const std::string& chip, const SliceRequest& request,
                     const Overrides& overrides = {})
{
    Machine machine = machine_of(chip, request, overrides);
    machine.schedule = topologies::ScheduleChoice::xla;
    return machine;
}

/// The first of the quickest candidates, built for this collective and this machine alone.
TimedSchedule built_anew(const Collective& collective, const Machine& machine)
{
    TimedSchedule best;
    for (CollectiveSchedule& one :
         candidate_schedules(collective, machine, ScheduleTimes::closed_form)) {
        const Picoseconds time = closed_form_time(one);
        if (best.schedule == nullptr || time < best.time) {
            best = {std::make_shared<const CollectiveSchedule>(std::move(one)), time};
        }
    }
    return best;
}

void expect_same(const TimedSchedule& found, const TimedSchedule& wanted)
{
    ASSERT_NE(found.schedule, nullptr);
    const CollectiveSchedule& a = *found.schedule;
    const CollectiveSchedule& b = *wanted.schedule;
    EXPECT_EQ(found.time, wanted.time);
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.axes, b.axes);
    EXPECT_EQ(a.group, b.group);
    EXPECT_EQ(a.along(), b.along());
    ASSERT_EQ(a.colours.size(), b.colours.size());
    for (std::size_t i = 0; i < a.colours.size(); ++i) {
        EXPECT_EQ(a.colours[i].phases, b.colours[i].phases) << a.name;
    }
}

Collective random_collective(std::mt19937_64& random)
{
    constexpr CollectiveKind kinds[] = {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                        CollectiveKind::all_reduce, CollectiveKind::all_to_all,
                                        CollectiveKind::permute};
    const std::uint64_t most = std::uint64_t{1} << (6 + random() % 22);
    const Bytes bytes(static_cast<std::int64_t>(1 + random() % most));
    Collective collective{kinds[random() % 5], bytes};
    if (random() % 2 == 0) {
        collective.group = {random() % 2 == 0 ? "x" : "y"};
    }
    collective.dtype = random() % 2 == 0 ? DType::f32 : DType::bf16;
    return collective;
}

TEST(SizedSchedules, AreThoseThatAreBuiltAnewOnEachMachine)
{
    std::mt19937_64 random(7);
    const auto drawn = [&random](double least) {
        return Json(least * (1 + static_cast<double>(random() % 1000) / 1000));
    };
    for (const auto& [chip, cores, shape] :
         {std::tuple("tpu_v3", 32, "4x4"), std::tuple("tpu_v3", 256, "8x16"),
          std::tuple("tpu_v4", 128, "4x4x4"), std::tuple("tpu_v5e", 64, "8x8"),
          std::tuple("tpu_v5e", 256, "16x16")}) {
        ScheduleBook book(ScheduleTimes::closed_form);
        std::vector<TimedSchedule> held;
        for (int draw = 0; draw < 12; ++draw) {
            Machine machine = compiled_for(
                chip, SliceRequest{cores, shape, {}},
                {{"ici_link_bw_effective_frac", drawn(0.4)},
                 {"ici_hop_latency_s", drawn(1e-7)},
                 {"ici_packet_bytes", static_cast<std::int64_t>(256 + random() % 4096)}});
            if (draw % 3 == 2) { // one axis is slower than the other, or both are
                machine.faults.links = {{0, static_cast<int>(random() % 2), 0.5}};
            }
            book.use(machine);
            for (int i = 0; i < 40; ++i) {
                Collective collective = random_collective(random);
                collective.across_chips = machine.devices_per_chip > 1 && random() % 4 == 0;
                TimedSchedule found = book.best(collective);
                expect_same(found, built_anew(collective, machine));
                if (random() % 3 == 0) { // as a program does that is compiled
                    held.push_back(std::move(found));
                }
            }
            held.clear();
        }
    }
}

TEST(SizedSchedules, StayAsTheyAreWhileSomebodyHoldsThem)
{
    const Machine machine = compiled_for("tpu_v3", SliceRequest{32, "4x4", {}});
    ScheduleBook book(machine, ScheduleTimes::closed_form);
    const Collective small{CollectiveKind::all_reduce, Bytes(1 << 20)};
    const Collective large{CollectiveKind::all_reduce, Bytes(1 << 21)};
    const TimedSchedule held = book.best(small);
    EXPECT_EQ(book.best(small).schedule, held.schedule);
    EXPECT_NE(book.best(large).schedule, held.schedule);
    expect_same(held, built_anew(small, machine));
}

/// A second draw takes what the first has built.
TEST(SizedSchedules, AreNotBuiltAgainForOtherNumbers)
{
    ScheduleBook book(ScheduleTimes::closed_form);
    const auto built_for = [&book](double share, std::int64_t bytes) {
        const Machine machine = compiled_for("tpu_v3", SliceRequest{256, "8x16", {}},
                                             {{"ici_link_bw_effective_frac", share}});
        book.use(machine);
        const std::int64_t before = book.phases_built();
        book.best({CollectiveKind::all_gather, Bytes(bytes)});
        return book.phases_built() - before;
    };
    EXPECT_GT(built_for(0.5, 3 << 23), 0);
    EXPECT_EQ(built_for(0.6, 3 << 23), 0);
    EXPECT_EQ(built_for(0.7, 1 << 25), 0) << "one ring of all, for both";
}

/// A book goes from point to point of a sweep over faults.
TEST(ScheduleBook, ChoosesAnewWhereOtherLinksAreFaulty)
{
    for (const auto times : {ScheduleTimes::closed_form, ScheduleTimes::exact}) {
        for (const auto& [chip, cores, shape] :
             {std::tuple("tpu_v3", 32, "4x4"), std::tuple("tpu_v5e", 32, "4x8")}) {
            ScheduleBook book(times);
            for (const double bandwidth : {1.0, 0.5, 0.1, 1.0}) {
                for (const bool both : {false, true}) {
                    Machine machine = compiled_for(chip, SliceRequest{cores, shape, {}});
                    if (bandwidth < 1) {
                        machine.faults.links = {{0, 1, bandwidth}};
                        if (both) {
                            machine.faults.links.push_back({0, 0, bandwidth});
                        }
                    }
                    book.use(machine);
                    for (const CollectiveKind kind :
                         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
                        const Collective collective{kind, Bytes(1 << 24)};
                        ScheduleBook alone(machine, times);
                        EXPECT_EQ(book.best(collective).time, alone.best(collective).time)
                            << chip << " " << bandwidth << " " << both;
                    }
                }
            }
        }
    }
}

} // namespace
} // namespace alxsim::model
