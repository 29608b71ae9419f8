// SPDX-License-Identifier: Apache-2.0
#include "alx/data/generator/generate.h"
#include "alx/placements/placement.h"
#include "alx/solvers/solver.h"
#include "alx/steps/step_graph.h"
#include "alx/steps/timing_program.h"
#include "alx/strategies/gather.h"
#include "alx/strategies/scatter.h"
#include "alx/strategies/statistics.h"
#include "model/bounds.h"
#include "model/collectives/group_source.h"
#include "model/compiled_graph.h"
#include "model/graph/memory.h"
#include "model/job_estimate.h"
#include "tests/device/running.h"
#include "tests/unit/alx/sharding.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

/// What holds of the op graphs of every gather, scatter, placement, statistic and solver that has a
/// name in its registry: a new one is tested without a word here. That it gives the same tables is
/// tests/system/sharding_test.cpp.
namespace alxsim::sim {
namespace {

using alx::AlxConfig;
using alx::DeviceMesh;
using model::CollectiveKind;

std::string words(const AlxConfig& plan)
{
    return plan.gather + ", " + plan.scatter + ", " + plan.placement + ", " + plan.statistics +
           ", " + plan.solver + (plan.long_rows == alx::LongRows::split ? ", split" : "") +
           (plan.table_tier.updated_in_hbm()
                ? ""
                : ", fixed in " + std::string(name_of(plan.table_tier.fixed)));
}

AlxConfig released_plan()
{
    AlxConfig plan;
    plan.dim = 16;
    plan.semantics = alx::Semantics::alx(plan.table_dtype);
    plan.batch = plan.column_batch = {256, 8, 64};
    plan.gather_options = {{"min_length", 30}}; // so that some rows are long
    return plan;
}

/// Batches that the longest rows do not fit.
AlxConfig split_plan()
{
    AlxConfig plan = released_plan();
    plan.semantics = {};
    plan.long_rows = alx::LongRows::split;
    plan.batch = plan.column_batch = {4, 8, 16};
    return plan;
}

/// The plan with its tables below HBM, as far as it can have them there.
void add_tiers(const AlxConfig& plan, std::vector<AlxConfig>& plans)
{
    using topologies::Tier;
    plans.push_back(plan);
    plans.back().table_tier.updated = Tier::host;
    if (plan.gather == "replicated" || plan.gather == "ship_statistics") {
        return;
    }
    for (const Tier fixed : {Tier::host, Tier::storage}) {
        plans.push_back(plans.back());
        plans.back().table_tier.fixed = fixed;
    }
}

/// The released plan, and those that differ from it in one choice; rows that are split, with every
/// gather.
std::vector<AlxConfig> plans_one_choice_away()
{
    std::vector<AlxConfig> plans{released_plan()};
    const auto vary = [&](std::string AlxConfig::*choice, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (released_plan().*choice != name) {
                plans.push_back(released_plan());
                plans.back().*choice = name;
            }
        }
    };
    vary(&AlxConfig::gather, alx::gather_strategies().names());
    vary(&AlxConfig::scatter, alx::scatter_strategies().names());
    vary(&AlxConfig::placement, alx::placements().names());
    vary(&AlxConfig::statistics, alx::statistics_strategies().names());
    vary(&AlxConfig::solver, alx::solvers().names());
    for (const std::string& gather : alx::gather_strategies().names()) {
        plans.push_back(split_plan());
        plans.back().gather = gather;
    }
    for (const AlxConfig& plan : std::vector<AlxConfig>(plans)) {
        add_tiers(plan, plans);
    }
    return plans;
}

/// Every gather with every scatter, placement and statistic; and every solver.
std::vector<AlxConfig> all_plans()
{
    std::vector<AlxConfig> plans = plans_one_choice_away();
    for (const std::string& gather : alx::gather_strategies().names()) {
        for (const std::string& scatter : alx::scatter_strategies().names()) {
            for (const std::string& placement : alx::placements().names()) {
                for (const std::string& statistics : alx::statistics_strategies().names()) {
                    plans.push_back(released_plan());
                    plans.back().gather = gather;
                    plans.back().scatter = scatter;
                    plans.back().placement = placement;
                    plans.back().statistics = statistics;
                }
            }
        }
    }
    return plans;
}

const alx::Dataset& small_web()
{
    static const alx::Dataset data = [] {
        alx::GenerateConfig config;
        config.rows = 700;
        config.columns = 500;
        config.links = 9000;
        config.min_links = 2;
        config.locality = 0.5;
        return alx::without_split(alx::generate(config, 3));
    }();
    return data;
}

alx::TimingProgram epoch_of(const AlxConfig& plan, const DeviceMesh& mesh)
{
    return alx::timing_program(
        plan, std::make_shared<const alx::PreparedLinks>(plan, small_web().training, mesh), mesh);
}

// ---- buffers

using Buffers = std::set<std::string>;

/// What stands in memory before a step: tables, their Gramians of the half before, and what the
/// last step carried over of a row that goes on, or solved of a table in host memory.
const Buffers& standing()
{
    static const Buffers all{"tables.rows",      "tables.columns",     "gramian.rows",
                             "gramian.columns",  "statistics.carried", "window.leaving",
                             "window.asked",     "stored_tables.rows", "stored_tables.columns",
                             "host_tables.rows", "host_tables.columns"};
    return all;
}

void add_writes(const model::Op& op, Buffers& buffers)
{
    for (const model::BufferUse& use : op.writes) {
        buffers.insert(use.buffer);
    }
    if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
        for (const model::Op& inner : repeat->body->ops) {
            add_writes(inner, buffers);
        }
    }
}

/// Each op reads what is `ready`, what it updates itself, or what an op wrote that it waits for.
void expect_written_before_read(const model::OpGraph& graph, const Buffers& ready,
                                const std::string& plan)
{
    std::vector<Buffers> after;
    for (const model::Op& op : graph.ops) {
        Buffers known = ready;
        for (const int before : op.after) {
            const Buffers& more = after.at(static_cast<std::size_t>(before));
            known.insert(more.begin(), more.end());
        }
        for (const model::BufferUse& use : op.writes) {
            known.insert(use.buffer);
        }
        if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            expect_written_before_read(*repeat->body, known, plan);
        }
        add_writes(op, known);
        for (const model::BufferUse& use : op.reads) {
            EXPECT_TRUE(known.count(use.buffer) == 1 || use.touched == Bytes(0))
                << plan << ": " << graph.name << ": '" << op.name << "' reads " << use.buffer
                << ", which nothing before it writes";
        }
        after.push_back(std::move(known));
    }
}

TEST(EveryAlxStrategy, ReadsNoBufferBeforeItIsWritten)
{
    for (const AlxConfig& plan : all_plans()) {
        for (const int devices : {1, 8}) {
            Buffers ready = standing();
            for (const model::StepGroup& group : epoch_of(plan, devices).epoch) {
                expect_written_before_read(*group.step.graph, ready, words(plan));
                for (const model::Op& op : group.step.graph->ops) {
                    if (group.step.graph->name.find("half step") == std::string::npos) {
                        add_writes(op, ready); // a copy made before a half stays for its steps
                    }
                }
            }
        }
    }
}

// ---- collectives

Bytes sum_of(const std::vector<model::BufferUse>& uses)
{
    Bytes sum(0);
    for (const model::BufferUse& use : uses) {
        sum += use.touched;
    }
    return sum;
}

/// Where all devices send alike, the bytes that are timed are those of the op's own buffers.
void expect_bytes_of_buffers(const model::Op& op, const model::Collective& collective, int devices,
                             const std::string& plan)
{
    const std::string what = plan + ": '" + op.name.text() + "'";
    const std::int64_t read = sum_of(op.reads).count();
    const std::int64_t written = sum_of(op.writes).count();
    const std::int64_t carried = collective.bytes.count();
    switch (collective.kind) {
    case CollectiveKind::all_gather:
        EXPECT_EQ(carried, written) << what;
        EXPECT_LE(carried, devices * read) << what; // of a buffer, a part may be sent
        break;
    case CollectiveKind::all_reduce:
        EXPECT_EQ(carried, read) << what;
        EXPECT_EQ(carried, written) << what;
        break;
    case CollectiveKind::reduce_scatter:
        EXPECT_EQ(carried, read) << what;
        EXPECT_EQ(carried, devices * written) << what;
        break;
    default:
        EXPECT_LE(carried, std::max(read, written)) << what;
    }
}

/// Messages go between two devices of the job; nobody sends or gets more than its buffers hold.
void expect_messages_of_buffers(const model::Op& op, const model::Collective& collective,
                                int devices, const std::string& plan)
{
    const std::string what = plan + ": '" + op.name.text() + "'";
    std::vector<std::int64_t> sent(static_cast<std::size_t>(devices));
    std::vector<std::int64_t> got(static_cast<std::size_t>(devices));
    for (const model::PairMessage& message : *collective.messages) {
        EXPECT_NE(message.source, message.destination) << what;
        EXPECT_GT(message.bytes, Bytes(0)) << what;
        sent.at(static_cast<std::size_t>(message.source)) += message.bytes.count();
        got.at(static_cast<std::size_t>(message.destination)) += message.bytes.count();
    }
    EXPECT_EQ(*std::max_element(sent.begin(), sent.end()), collective.bytes.count()) << what;
    // Beside an id may travel the place that it is for.
    EXPECT_LE(*std::max_element(sent.begin(), sent.end()), 2 * sum_of(op.reads).count()) << what;
    EXPECT_LE(*std::max_element(got.begin(), got.end()), sum_of(op.writes).count()) << what;
}

void visit_collectives(const model::OpGraph& graph,
                       const std::function<void(const model::Op&, const model::Collective&)>& visit)
{
    for (const model::Op& op : graph.ops) {
        if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            visit_collectives(*repeat->body, visit);
        } else if (const auto* collective = std::get_if<model::Collective>(&op.work)) {
            visit(op, *collective);
        }
    }
}

TEST(EveryAlxStrategy, CarriesInItsCollectivesWhatTheirBuffersHold)
{
    for (const AlxConfig& plan : all_plans()) {
        for (const int devices : {2, 8}) {
            int seen = 0;
            for (const model::StepGroup& group : epoch_of(plan, devices).epoch) {
                visit_collectives(*group.step.graph, [&](const auto& op, const auto& collective) {
                    ++seen;
                    if (collective.messages) {
                        expect_messages_of_buffers(op, collective, devices, words(plan));
                    } else {
                        expect_bytes_of_buffers(op, collective, devices, words(plan));
                    }
                });
            }
            EXPECT_GT(seen, 0) << words(plan);
        }
    }
}

// ---- phases, memory and time

void add_phases(const model::OpGraph& graph, std::set<std::string>& phases)
{
    for (const model::Op& op : graph.ops) {
        phases.insert(op.phase);
        if (const auto* repeat = std::get_if<model::Repeat>(&op.work)) {
            add_phases(*repeat->body, phases);
        }
    }
}

TEST(EveryAlxStrategy, SpendsItsTimeInTheNamedPhasesOfWhichEachIsUsed)
{
    std::set<std::string> used{model::dispatch_phase};
    for (const AlxConfig& plan : all_plans()) {
        for (const int devices : {1, 8}) {
            for (const model::StepGroup& group : epoch_of(plan, devices).epoch) {
                add_phases(*group.step.graph, used);
            }
        }
    }
    const std::vector<std::string>& named = alx::phase_names();
    EXPECT_EQ(used, std::set<std::string>(named.begin(), named.end()));
}

TEST(EveryAlxStrategy, NeedsNoLessMemoryThanItsShardsOfBothTables)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    for (const AlxConfig& plan : all_plans()) {
        const alx::TimingProgram program = epoch_of(plan, 8);
        const std::int64_t rows =
            plan.table_tier.updated_in_hbm() ? program.rows.shard_rows + program.columns.shard_rows
            : plan.table_tier.fixed_in_hbm()
                ? std::max(program.rows.shard_rows, program.columns.shard_rows)
                : 0;
        EXPECT_GE(model::memory_fit(program.epoch, machine).needed,
                  model::size_of(plan.table_dtype) * (rows * plan.dim))
            << words(plan);
    }
}

/// The longest chain of ops that wait for each other, each at its physical bound; data from the
/// host may come in before.
double longest_chain(const model::OpGraph& graph, const topologies::Machine& machine)
{
    const model::BufferPlacement placement = model::place(graph, machine.device);
    std::vector<double> finish;
    for (const model::Op& op : graph.ops) {
        double start = 0;
        for (const int before : op.after) {
            start = std::max(start, finish.at(static_cast<std::size_t>(before)));
        }
        const auto* copy = std::get_if<model::Copy>(&op.work);
        const bool infeed = copy != nullptr && copy->from == topologies::Tier::host;
        finish.push_back(start +
                         (infeed ? 0 : model::physical_bound(op, placement, machine).count()));
    }
    return *std::max_element(finish.begin(), finish.end());
}

double bound_of_epoch(const model::Program& epoch, const topologies::Machine& machine)
{
    double sum = 0;
    for (const model::StepGroup& group : epoch) {
        sum += static_cast<double>(group.times) * longest_chain(*group.step.graph, machine);
    }
    return sum;
}

TEST(EveryAlxStrategy, IsNotFasterThanPhysicsInTheModel)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    for (const AlxConfig& plan : all_plans()) {
        const model::Program epoch = epoch_of(plan, machine.devices).epoch;
        EXPECT_GE(to_seconds(model::estimate(epoch, machine).total).count(),
                  bound_of_epoch(epoch, machine))
            << words(plan);
    }
}

TEST(EveryAlxStrategy, IsNotFasterThanPhysicsInSystemCWhichTheModelMeets)
{
    const topologies::Machine machine = machine_of("tpu_v3", 8);
    for (const AlxConfig& plan : plans_one_choice_away()) {
        const model::Program epoch = epoch_of(plan, machine.devices).epoch;
        model::GroupSource source(epoch, {});
        const double simulated =
            to_seconds(Simulator(machine).run(source).epochs.at(0).finish).count();
        const double estimated = to_seconds(model::estimate(epoch, machine).total).count();
        EXPECT_GE(simulated, bound_of_epoch(epoch, machine)) << words(plan);
        EXPECT_NEAR(estimated / simulated, 1, 0.05) << words(plan);
    }
}

} // namespace
} // namespace alxsim::sim
