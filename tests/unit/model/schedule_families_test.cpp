// SPDX-License-Identifier: Apache-2.0
#include "model/schedules/schedule_families.h"

#include "model/collectives/collective.h"
#include "model/schedules/schedule_choice.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace alxsim::model {
namespace {

using topologies::Machine;

std::vector<Machine> machines_of_all_shapes()
{
    return {easy_machine(8, "1x8", {false, true}), easy_machine(16, "4x4", {true, true}),
            easy_pairs(8, "2x4", {false, false}), machine_of("tpu_v4", 64)};
}

/// One of each kind and, for an all-to-all, one whose op asks for routes, one with messages, and
/// one of two lists of ranks.
std::vector<Collective> collectives_of_all_kinds(const Machine& machine)
{
    std::vector<Collective> result;
    for (const CollectiveKind kind :
         {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_reduce,
          CollectiveKind::all_to_all, CollectiveKind::permute, CollectiveKind::broadcast,
          CollectiveKind::reduce}) {
        result.push_back({kind, Bytes(1 << 16)});
    }
    Collective routed{CollectiveKind::all_to_all, Bytes(1 << 16)};
    routed.schedule.algorithm = ScheduleAlgorithm::routed;
    result.push_back(routed);
    Collective messages{CollectiveKind::permute, Bytes(1 << 10)};
    messages.messages = std::make_shared<const std::vector<PairMessage>>(
        std::vector<PairMessage>{{0, 3, Bytes(1 << 10)}, {3, 1, Bytes(1 << 9)}});
    result.push_back(messages);
    Collective ranks{CollectiveKind::all_reduce, Bytes(1 << 12)};
    std::vector<std::vector<int>> halves(2);
    for (int device = 0; device < machine.devices; ++device) {
        halves[static_cast<std::size_t>(device % 2)].push_back(device);
    }
    ranks.ranks = std::make_shared<const std::vector<std::vector<int>>>(halves);
    ranks.listed = true; // they might be boxes
    result.push_back(ranks);
    return result;
}

ScheduleRequest request_of(const Collective& collective, const Machine& machine)
{
    ScheduleRequest request{collective, machine, std::nullopt};
    if (!collective.ranks) {
        request.group = group_of(collective, machine);
    }
    return request;
}

TEST(ScheduleFamilies, HaveNamesOfTheirOwnAndApplySomewhere)
{
    std::map<std::string, int> applied;
    for (const Machine& machine : machines_of_all_shapes()) {
        for (const Collective& collective : collectives_of_all_kinds(machine)) {
            for (const ScheduleFamily& family : schedule_families()) {
                applied[family.name] += family.applies(request_of(collective, machine)) ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(applied.size(), schedule_families().size());
    for (const auto& [name, times] : applied) {
        EXPECT_GT(times, 0) << name << ": add a collective to which it applies";
    }
}

TEST(ScheduleFamilies, NameWhatTheyMakeAndBeatNoBound)
{
    for (const Machine& machine : machines_of_all_shapes()) {
        for (const Collective& collective : collectives_of_all_kinds(machine)) {
            const ScheduleRequest request = request_of(collective, machine);
            for (const ScheduleFamily& family : schedule_families()) {
                if (!family.applies(request)) {
                    continue;
                }
                for (const CollectiveSchedule& schedule : family.schedules(request)) {
                    EXPECT_FALSE(schedule.name.empty()) << family.name;
                    EXPECT_EQ(schedule.kind, collective.kind) << family.name;
                    EXPECT_GE(schedule_time(schedule).count() * 1e-12 * (1 + 1e-9),
                              collective_bound(collective, machine).count())
                        << family.name << ": " << schedule.name << " on " << machine.slice.shape();
                }
            }
        }
    }
}

TEST(ScheduleFamilies, MakeAllTheCandidatesThatThereAre)
{
    for (const Machine& machine : machines_of_all_shapes()) {
        for (const Collective& collective : collectives_of_all_kinds(machine)) {
            std::multiset<std::string> made;
            for (const ScheduleFamily& family : schedule_families()) {
                const ScheduleRequest request = request_of(collective, machine);
                if (family.applies(request)) {
                    for (const CollectiveSchedule& schedule : family.schedules(request)) {
                        made.insert(schedule.name);
                    }
                }
            }
            std::multiset<std::string> candidates;
            for (const CollectiveSchedule& schedule : candidate_schedules(collective, machine)) {
                if (schedule.name.find(", then ") == std::string::npos) { // made of two of them
                    candidates.insert(schedule.name);
                }
            }
            EXPECT_EQ(candidates, made);
            EXPECT_FALSE(made.empty());
        }
    }
}

} // namespace
} // namespace alxsim::model
