// SPDX-License-Identifier: Apache-2.0
// A model that goes from machine to machine says what a new one says on each.
#include "model/job_estimate.h"

#include "model/lent_model.h"
#include "model/program_cache.h"
#include "tests/unit/model/building.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <random>
#include <set>

namespace alxsim::model {
namespace {

using topologies::Machine;
using topologies::SliceRequest;

Collective along(CollectiveKind kind, std::int64_t bytes, std::vector<std::string> group = {})
{
    Collective collective{kind, Bytes(bytes)};
    collective.group = std::move(group);
    return collective;
}

Op on_buffers(Op op, const std::string& read, const std::string& written,
              Bytes bytes = Bytes(1 << 20))
{
    op.reads = {{read, bytes}};
    op.writes = {{written, bytes}};
    return op;
}

/// Ops of all units, collectives along one axis and along both, some in a loop.
std::shared_ptr<const OpGraph> mixed_graph()
{
    Collective broadcast = along(CollectiveKind::broadcast, 100000);
    broadcast.root = 3;
    return graph_of(
        {on_buffers(op_of(Matmul{1, 512, 512, 512}, {}, "mxu"), "a", "b"),
         on_buffers(op_of(Vector{100000, 2, DType::f32}, {0}, "vpu"), "b", "c"),
         op_of(along(CollectiveKind::all_reduce, 1 << 20), {}, "sum"),
         op_of(along(CollectiveKind::all_gather, 1 << 18, {"x"}), {1}, "gather"),
         op_of(along(CollectiveKind::all_to_all, 1 << 16, {"y"}), {1}, "exchange"),
         op_of(RowGather{1000, Bytes(256), 100000}, {}, "rows"), op_of(broadcast, {}, "spread"),
         op_of(stream_of(Bytes(1 << 22), Bytes(1 << 20)), {2}, "stream"),
         repeat_of(5,
                   {op_of(Vector{5000, 1, DType::f32}),
                    op_of(along(CollectiveKind::reduce_scatter, 1 << 16), {0}, "scatter")},
                   "", {3})});
}

/// Draws graphs of one structure, but for what lies in its loop; what is in VMEM goes by the sizes.
std::shared_ptr<const OpGraph> graph_of_sizes(std::mt19937_64& random)
{
    const auto bytes = [&random] { return std::int64_t{1} << (12 + random() % 12); };
    const auto buffer = [&bytes] { return Bytes(bytes()); };
    std::vector<Op> body{
        on_buffers(op_of(Vector{bytes(), 1, DType::f32}), "c", "inner", buffer()),
        on_buffers(op_of(Vector{bytes(), 1, DType::f32}, {0}), "inner", "inner", buffer()),
        op_of(along(CollectiveKind::all_gather, bytes()), {0}, "scatter")};
    if (random() % 4 == 0) {
        body.back() = op_of(along(CollectiveKind::all_to_all, bytes()), {0}, "scatter");
    }
    return graph_of(
        {on_buffers(op_of(Matmul{1, 512, bytes() / 4096, 512}, {}, "mxu"), "a", "b", buffer()),
         on_buffers(op_of(Vector{bytes(), 2, DType::f32}, {0}, "vpu"), "b", "c", buffer()),
         op_of(along(CollectiveKind::all_reduce, bytes()), {}, "sum"),
         op_of(along(CollectiveKind::all_gather, bytes(), {"x"}), {1}, "gather"),
         op_of(along(CollectiveKind::all_to_all, bytes(), {"y"}), {1}, "exchange"),
         on_buffers(op_of(RowGather{bytes() / 64, Bytes(256), 100000}, {}, "rows"), "t", "r",
                    buffer()),
         on_buffers(op_of(Vector{bytes(), 2, DType::f32}, {5}, "more"), "r", "r", buffer()),
         repeat_of(static_cast<std::int64_t>(1 + random() % 5), std::move(body), "", {0})});
}

/// A collective beside a loop whose array moves bytes in HBM or stands in VMEM, by its size.
std::shared_ptr<const OpGraph> collective_beside_a_loop(std::mt19937_64& random)
{
    const Bytes array(std::int64_t{1} << (18 + random() % 10));
    Collective sum = along(CollectiveKind::all_reduce, 1 << 24);
    sum.overlap = Overlap::async;
    return graph_of(
        {op_of(sum, {}, "sum"),
         repeat_of(3, {on_buffers(op_of(Vector{100000, 1, DType::f32}), "w", "w", array)})});
}

using Groups = std::vector<std::vector<int>>;

/// On a slice of 4x4 chips of two devices: those of every other column.
std::vector<int> devices_of_stage(int stage)
{
    std::vector<int> devices;
    for (int chip = stage; chip < 16; chip += 2) {
        devices.insert(devices.end(), {2 * chip, 2 * chip + 1});
    }
    return devices;
}

/// Each two chips of a row, with a chip of the other stage between them.
Groups rows_of_stage(int stage)
{
    Groups rows;
    for (int chip = stage; chip < 16; chip += 4) {
        rows.push_back({2 * chip, 2 * chip + 1, 2 * chip + 4, 2 * chip + 5});
    }
    return rows;
}

Op among(CollectiveKind kind, std::int64_t bytes, Groups groups, std::vector<int> after,
         const std::string& phase)
{
    Collective collective = along(kind, bytes);
    collective.ranks = std::make_shared<const Groups>(std::move(groups));
    return op_of(collective, std::move(after), phase);
}

/// Two stages that hand over, with collectives of their own.
std::shared_ptr<const OpGraph> pipeline()
{
    std::vector<PairMessage> messages;
    for (std::size_t i = 0; i < 16; ++i) {
        messages.push_back({devices_of_stage(0)[i], devices_of_stage(1)[i], Bytes(100000)});
    }
    Collective hand_over = along(CollectiveKind::permute, 100000);
    hand_over.messages = std::make_shared<const std::vector<PairMessage>>(std::move(messages));
    const auto stage = [](int which) {
        return std::vector<Op>{
            op_of(Vector{50000, 2, DType::f32}, {}, "vpu"),
            among(CollectiveKind::all_gather, 1 << 18, {devices_of_stage(which)}, {0}, "gather"),
            among(CollectiveKind::reduce_scatter, 1 << 16, rows_of_stage(which), {1}, "scatter")};
    };
    std::vector<Op> first = stage(0);
    std::vector<Op> second = stage(1);
    first.push_back(op_of(hand_over, {2}, "hand over"));
    second.insert(second.begin(), op_of(hand_over, {}, "hand over"));
    for (std::size_t i = 1; i < second.size(); ++i) {
        second[i].after = {static_cast<int>(i) - 1};
    }
    auto graph = std::make_shared<OpGraph>();
    graph->roles = {{devices_of_stage(0), graph_of(std::move(first))},
                    {devices_of_stage(1), graph_of(std::move(second))}};
    return graph;
}

/// The groups of both stages at once.
std::shared_ptr<const OpGraph> interleaved_groups()
{
    const Groups halves{devices_of_stage(0), devices_of_stage(1)};
    Groups rows = rows_of_stage(0);
    for (std::vector<int>& row : rows_of_stage(1)) {
        rows.push_back(std::move(row));
    }
    return graph_of({among(CollectiveKind::all_reduce, 1 << 20, halves, {}, "sum"),
                     among(CollectiveKind::all_gather, 1 << 18, halves, {0}, "gather"),
                     among(CollectiveKind::reduce_scatter, 1 << 16, rows, {1}, "scatter"),
                     among(CollectiveKind::all_reduce, 1 << 12, rows, {2}, "rows")});
}

Machine random_machine(std::mt19937_64& random)
{
    const auto one_of = [&](const std::vector<Json>& values) {
        return values[random() % values.size()];
    };
    const auto factor = [&] { return Json("x" + std::to_string(1 + random() % 7)); };
    Overrides overrides;
    const std::vector<std::pair<std::string, Json>> may_change{
        {"ici_link_bw_oneway", factor()},
        {"ici_hop_latency_s", factor()},
        {"ici_hop_software_frac", one_of({0.0, 0.4, 1.0})},
        {"ici_line_bw_effective_frac", one_of({0.5, 0.9})},
        {"ici_on_chip_overlap_frac", one_of({0.0, 0.3})},
        {"ici_core_to_core_on_chip_bw_oneway", factor()},
        {"gather_row_s", factor()},
        {"clock_hz", factor()},
        {"vmem_bytes_core", one_of({4 << 20, 16 << 20})},
        {"collectives_overlap_compute", one_of({false, true})},
        {"ici_packet_bytes", one_of({512, 4096})}};
    std::sample(may_change.begin(), may_change.end(), std::back_inserter(overrides),
                static_cast<std::ptrdiff_t>(random() % 4), random);
    SliceRequest request{32, "4x4", {}};
    if (random() % 3 == 0) {
        request.wrap = {random() % 2 == 0, random() % 2 == 0};
    }
    return machine_of("tpu_v3", request, overrides);
}

class AnotherMachine : public testing::TestWithParam<ScheduleTimes> {};

TEST_P(AnotherMachine, IsEstimatedAsByANewModel)
{
    std::mt19937_64 random(5);
    const Program program{{{mixed_graph(), {}, 1}, 3}, {{mixed_graph(), {}, 1}, 1}};
    std::deque<Machine> machines{random_machine(random)};
    AnalyticModel model(machines.front(), GetParam());
    std::set<std::int64_t> seen;
    for (int i = 0; i < 60; ++i) {
        const Breakdown once = estimate(program, model);
        const Breakdown anew = estimate(program, machines.back(), GetParam());
        ASSERT_EQ(once.total, anew.total) << "machine " << i;
        ASSERT_EQ(once.phases, anew.phases) << "machine " << i;
        ASSERT_EQ(once.shares, anew.shares) << "machine " << i;
        seen.insert(once.total.count());
        machines.push_back(random_machine(random));
        model.use(machines.back());
    }
    EXPECT_GT(seen.size(), 30u);
}

// What a part of an axis takes goes by more than what the whole axis does: of the latency of a hop,
// software's share counts once a message, the wire's once a link.
TEST_P(AnotherMachine, HasItsOwnTimesOfGroupsBetweenOthers)
{
    const Program program{{{pipeline(), {}, 1}, 3}, {{interleaved_groups(), {}, 1}, 1}};
    std::deque<Machine> machines;
    std::vector<Breakdown> anew;
    std::set<std::int64_t> seen;
    for (const double software : {0.0, 0.4, 1.0}) {
        for (const char* const rate : {"x1", "x2"}) {
            machines.push_back(
                machine_of("tpu_v3", SliceRequest{32, "4x4", {}},
                           {{"ici_hop_software_frac", software}, {"ici_link_bw_oneway", rate}}));
            anew.push_back(estimate(program, machines.back(), GetParam()));
            seen.insert(anew.back().total.count());
        }
    }
    EXPECT_EQ(seen.size(), machines.size());
    std::mt19937_64 random(8);
    AnalyticModel model(machines.front(), GetParam());
    for (int i = 0; i < 60; ++i) {
        const std::size_t which = random() % machines.size();
        model.use(machines[which]);
        const Breakdown once = estimate(program, model);
        ASSERT_EQ(once.total, anew[which].total) << "machine " << which << ", turn " << i;
        ASSERT_EQ(once.phases, anew[which].phases) << "machine " << which << ", turn " << i;
    }
}

TEST_P(AnotherMachine, AndAnotherGraphOfTheSameStructure)
{
    std::mt19937_64 random(7);
    std::deque<Machine> machines{random_machine(random)};
    AnalyticModel model(machines.front(), GetParam());
    std::set<std::int64_t> seen;
    for (int i = 0; i < 100; ++i) {
        // Nobody holds it any longer when the next comes.
        const Program program{{{graph_of_sizes(random), {}, 1}, 2},
                              {{graph_of_sizes(random), {}, 1}, 1},
                              {{collective_beside_a_loop(random), {}, 1}, 1}};
        const Breakdown once = estimate(program, model);
        const Breakdown anew = estimate(program, machines.back(), GetParam());
        ASSERT_EQ(once.total, anew.total) << "graph " << i;
        ASSERT_EQ(once.phases, anew.phases) << "graph " << i;
        ASSERT_EQ(once.shares, anew.shares) << "graph " << i;
        seen.insert(once.total.count());
        if (i % 2 == 0) {
            machines.push_back(random_machine(random));
            model.use(machines.back());
        }
    }
    EXPECT_GT(seen.size(), 70u);
}

TEST_P(AnotherMachine, MayTakeOverTheSchedulesOfTheOnesBefore)
{
    std::mt19937_64 random(6);
    const auto schedules = std::make_shared<ScheduleBook>(GetParam());
    Machine machine = random_machine(random);
    for (int i = 0; i < 60; ++i) {
        if (i % 3 != 0) { // every third has the network of the one before, and another memory
            machine = random_machine(random);
        }
        machine.device.gather_row = machine.device.gather_row * 1.5;
        AnalyticModel model(machine, schedules);
        const Program program{{{mixed_graph(), {}, 1}, 3}};
        const Breakdown once = estimate(program, model);
        const Breakdown anew = estimate(program, machine, GetParam());
        ASSERT_EQ(once.total, anew.total) << "machine " << i;
        ASSERT_EQ(once.phases, anew.phases) << "machine " << i;
    }
}

/// The same ops, phase by phase in another order.
std::shared_ptr<const OpGraph> with_other_phases()
{
    OpGraph graph = *mixed_graph();
    int number = 0;
    for (Op& op : graph.ops) {
        op.phase = "phase " + std::to_string((number++ * 5 + 3) % 7);
    }
    return std::make_shared<const OpGraph>(std::move(graph));
}

TEST_P(AnotherMachine, IsEstimatedByALentModelAsByANewOne)
{
    std::mt19937_64 random(7);
    const std::vector<Program> jobs{
        {{{mixed_graph(), {}, 1}, 3}},
        {{{with_other_phases(), {}, 1}, 2}},
        {{{with_other_phases(), {}, 1}, 1}, {{mixed_graph(), {}, 1}, 4}}};
    for (int i = 0; i < 60; ++i) {
        const Machine machine = random_machine(random);
        const Program& job = jobs[random() % jobs.size()];
        const LentModel lent(machine, GetParam());
        for (int turn = 0; turn < 2; ++turn) {
            const Breakdown once = estimate(job, *lent);
            const Breakdown anew = estimate(job, machine, GetParam());
            ASSERT_EQ(once.total, anew.total) << "machine " << i;
            ASSERT_EQ(once.phases, anew.phases) << "machine " << i;
            ASSERT_EQ(once.shares, anew.shares) << "machine " << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Times, AnotherMachine,
                         testing::Values(ScheduleTimes::exact, ScheduleTimes::closed_form),
                         [](const auto& times) {
                             return times.param == ScheduleTimes::exact ? "exact" : "closed_form";
                         });

TEST(AMachineOfOtherNumbers, KeepsItsCompiledGraphs)
{
    const Machine one = machine_of("tpu_v3", 32);
    const Machine other = machine_of("tpu_v3", 32, {{"ici_link_bw_oneway", "x2"}});
    PhaseNames phases;
    ProgramCache cache(one, phases, ScheduleTimes::closed_form);
    const std::shared_ptr<const OpGraph> graph = mixed_graph();
    cache.use(other); // the first one's axes were not asked for
    const auto compiled = cache.compiled(graph);
    const Picoseconds before = compiled->ops[2].schedule_time;
    cache.use(one);
    EXPECT_EQ(cache.compiled(graph), compiled);
    EXPECT_GT(compiled->ops[2].schedule_time, before);
}

} // namespace
} // namespace alxsim::model
