// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/timing/time_tables.h"

#include "model/compiled_graph.h"
#include "model/graph/for_each_op.h"
#include "model/job_estimate.h"
#include "report/words.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

namespace alxsim::experiments {
namespace {

using NameOfOp = std::function<model::Name(const model::Op&)>;
using GraphPointer = std::shared_ptr<const model::OpGraph>;

/// Graphs whose ops have a name of a group as their phase, so that an estimate tells time by these.
class Regrouped {
public:
    explicit Regrouped(const NameOfOp& name_of) : name_of_(name_of) {}

    GraphPointer graph(const GraphPointer& original)
    {
        GraphPointer& known = known_[original.get()];
        if (!known) {
            model::OpGraph copy = *original;
            for (model::Op& op : copy.ops) {
                op.phase = name_of_(op);
                if (auto* const repeat = std::get_if<model::Repeat>(&op.work)) {
                    repeat->body = graph(repeat->body);
                }
            }
            for (model::Role& role : copy.roles) {
                role.graph = graph(role.graph);
            }
            known = std::make_shared<const model::OpGraph>(std::move(copy));
        }
        return known;
    }

private:
    const NameOfOp& name_of_;
    std::map<const model::OpGraph*, GraphPointer> known_;
};

model::Program regrouped(const model::Program& program, const NameOfOp& name_of)
{
    Regrouped graphs(name_of);
    model::Program told = program;
    for (model::StepGroup& group : told) {
        group.step.graph = graphs.graph(group.step.graph);
    }
    return told;
}

double seconds_of_op(const model::CompiledOp& op, const topologies::Machine& machine)
{
    return to_seconds(op.schedule ? op.cost.launch + op.schedule_time
                                  : model::op_time(op.cost, machine).total())
        .count();
}

/// Adds what the ops of a program do by themselves, by name.
void add_work(const model::Program& program, model::AnalyticModel& model,
              std::map<std::string, report::TimeRow>& row_of)
{
    for (const model::StepGroup& group : program) {
        const model::RoundsOfFirstDevice rounds{group.step.counts};
        const auto add = [&](const model::CompiledOp& op, std::int64_t times) {
            report::TimeRow& row = row_of[op.op->phase];
            row.ops += op.body ? 0 : group.times < 0 ? -1 : 1;
            row.work_seconds +=
                op.body ? 0 : static_cast<double>(times) * seconds_of_op(op, model.machine());
            if (const auto* collective = std::get_if<model::Collective>(&op.op->work)) {
                row.bytes = row.bytes.value_or(0) + times * collective->bytes.count();
            }
        };
        const std::shared_ptr<const model::CompiledGraph> compiled =
            model.compiled(group.step.graph);
        model::for_each_op(*compiled, group.times, rounds, add);
    }
}

report::TimeTable table_of(const workloads::OpGroups& groups, const model::Program& program,
                           double seconds, model::AnalyticModel& model)
{
    constexpr std::size_t most_rows = 40;
    const model::Name others(groups.others);
    const model::Program told = regrouped(program, [&](const model::Op& op) {
        const auto found = groups.of_op.find(op.name);
        return found == groups.of_op.end() ? others : model::Name(found->second);
    });
    std::map<std::string, report::TimeRow> row_of;
    add_work(told, model, row_of);
    const model::Breakdown estimated = model::estimate(told, model);
    for (const auto& [name, time] : estimated.phases) {
        report::TimeRow& row = row_of[name];
        row.share = estimated.total > Picoseconds(0) ? time / estimated.total : 0;
        row.seconds = row.share * seconds;
    }
    report::TimeTable table{groups.by, {}, 0};
    for (auto& [name, row] : row_of) {
        row.name = name;
        table.rows.push_back(row);
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
                     [](const report::TimeRow& a, const report::TimeRow& b) {
                         return a.seconds != b.seconds ? a.seconds > b.seconds
                                                       : a.work_seconds > b.work_seconds;
                     });
    if (table.rows.size() > most_rows) {
        table.unlisted = static_cast<std::int64_t>(table.rows.size() - most_rows);
        table.rows.resize(most_rows);
    }
    return table;
}

} // namespace

double share_of_ops(const model::Program& program, const std::set<std::string>& ops,
                    model::AnalyticModel& model)
{
    if (ops.empty()) {
        return 0;
    }
    const model::Name these("assumed");
    const model::Name others("not assumed");
    const model::Program told = regrouped(
        program, [&](const model::Op& op) { return ops.count(op.name) > 0 ? these : others; });
    const model::Breakdown estimated = model::estimate(told, model);
    const auto found = estimated.phases.find(these);
    return found == estimated.phases.end() || estimated.total <= Picoseconds(0)
               ? 0
               : found->second / estimated.total;
}

std::string assumed_in_words(double share, const std::string& of, const std::string& interval)
{
    if (of.empty()) {
        return "nothing in the time of " + interval +
               " rests on instructions whose cost is assumed";
    }
    return report::percent_in_words(share) + " of the time of " + interval + " rests on " + of;
}

report::AssumedTime assumed_time(const workloads::AssumedWork& assumed,
                                 const workloads::Workload& workload, model::AnalyticModel& model)
{
    const double share = share_of_ops(workload.program(), assumed.ops, model);
    const report::IntervalWords words{workload.interval(), workload.interval_plural()};
    return {share, assumed_in_words(share, assumed.words, words.with_article())};
}

std::vector<report::TimeTable> time_tables(const workloads::Workload& workload, double seconds,
                                           model::AnalyticModel& model)
{
    std::vector<report::TimeTable> tables;
    for (const workloads::OpGroups& groups : workload.op_groups()) {
        tables.push_back(table_of(groups, workload.program(), seconds, model));
    }
    return tables;
}

} // namespace alxsim::experiments
