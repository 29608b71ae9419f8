// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/work.h"

#include "model/compiled_graph.h"
#include "model/graph/for_each_op.h"

#include <iterator>

namespace alxsim::experiments {
namespace {

/// Adds up the work of one graph, body by body.
class Counter {
public:
    Counter(const model::Step& step, const model::BufferPlacement& placement,
            const topologies::Machine& machine, PhaseWork& work)
        : step_(step),
          placement_(placement),
          machine_(machine),
          work_(work)
    {
    }

    /// `times`: how often an epoch runs the graph; `steps`: in how many steps.
    void count(const model::OpGraph& graph, double times, double steps)
    {
        const model::RoundsOfFirstDevice rounds{step_.counts};
        model::for_each_op(graph, times, rounds, [&](const model::Op& op, double runs) {
            if (phases_.insert(op.phase).second) {
                add(op.phase, "steps", steps);
            }
            const model::OpCost cost = model::op_cost(op, placement_, machine_);
            add(op.phase, "hbm_bytes", runs * static_cast<double>(cost.hbm.bytes.count()));
            add(op.phase, "ops", runs);
            count_work(op, runs);
            if (const model::Repeat* repeat = model::as_repeat(op)) {
                add(op.phase, "loop_rounds", runs * static_cast<double>(rounds(*repeat)));
            }
        });
    }

private:
    void count_work(const model::Op& op, double times)
    {
        if (const auto* matmul = std::get_if<model::Matmul>(&op.work)) {
            add(op.phase, "matmul_flops",
                times * 2.0 * static_cast<double>(matmul->batch) * static_cast<double>(matmul->m) *
                    static_cast<double>(matmul->k) * static_cast<double>(matmul->n));
            if (matmul->epilogue) {
                count_vector(op.phase, *matmul->epilogue, times);
            }
        } else if (const auto* vector = std::get_if<model::Vector>(&op.work)) {
            count_vector(op.phase, *vector, times);
        } else if (const auto* rows = std::get_if<model::AlongRows>(&op.work)) {
            add(op.phase, "numbers_along_rows",
                times * static_cast<double>(rows->rows) * static_cast<double>(rows->length));
        } else if (const auto* custom = std::get_if<model::Custom>(&op.work)) {
            add(op.phase, "matmul_flops", times * custom->flops);
        } else if (const auto* gather = std::get_if<model::RowGather>(&op.work)) {
            add(op.phase, "rows_looked_up", times * static_cast<double>(gather->rows));
            add(op.phase, "own_rows_looked_up", times * static_cast<double>(gather->owned_rows));
        } else if (const auto* scatter = std::get_if<model::RowScatter>(&op.work)) {
            add(op.phase, "rows_scattered", times * static_cast<double>(scatter->rows));
        } else if (const auto* copy = std::get_if<model::Copy>(&op.work)) {
            if (copy->with_host()) {
                add(op.phase, copy->with_storage() ? "storage_bytes" : "host_bytes",
                    times * static_cast<double>(copy->bytes.count()));
            }
        } else if (const auto* collective = std::get_if<model::Collective>(&op.work)) {
            add(op.phase, "collective_launches", collective->launched ? times : 0);
            add(op.phase, "collective_bytes",
                times * static_cast<double>(collective->bytes.count()));
        }
    }

    void count_vector(const std::string& phase, const model::Vector& vector, double times)
    {
        add(phase, "vector_operations",
            times * static_cast<double>(vector.elements) * vector.ops_per_element);
    }

    void add(const std::string& phase, const std::string& kind, double amount)
    {
        if (amount != 0) {
            work_[phase][kind] += amount;
        }
    }

    const model::Step& step_;
    const model::BufferPlacement& placement_;
    const topologies::Machine& machine_;
    PhaseWork& work_;
    std::set<std::string> phases_; ///< of the step, so far
};

} // namespace

RebuiltPoint rebuild(const PointStudy& study)
{
    RebuiltPoint point{study, job_of(study)};
    point.fits = memory_fit(*point.job.workload, point.machine()).fits();
    return point;
}

PhaseWork work_of(const RebuiltPoint& point)
{
    PhaseWork work;
    for (const model::StepGroup& group : point.epoch()) {
        const model::OpGraph& graph = *group.step.graph;
        const model::BufferPlacement placement = model::place(graph, point.machine().device);
        const auto times = static_cast<double>(group.times);
        Counter(group.step, placement, point.machine(), work).count(graph, times, times);
        work[model::dispatch_phase]["steps"] += times;
    }
    for (auto& [phase, amounts] : work) { // of steps that overlap some are taken off
        for (auto one = amounts.begin(); one != amounts.end();) {
            one = one->second == 0 ? amounts.erase(one) : std::next(one);
        }
    }
    return work;
}

std::set<std::string> uneven_phases(const RebuiltPoint& point)
{
    std::set<std::string> phases;
    for (const model::StepGroup& group : point.epoch()) {
        model::for_each_op(*group.step.graph, [&phases](const model::Op& op) {
            const auto* collective = std::get_if<model::Collective>(&op.work);
            if (op.work_of_device || (collective != nullptr && collective->messages)) {
                phases.insert(op.phase);
            }
        });
    }
    return phases;
}

const std::vector<WorkKind>& work_kinds()
{
    static const std::vector<WorkKind> kinds{{"rows_looked_up", "rows looked up"},
                                             {"own_rows_looked_up", "rows looked up that it holds"},
                                             {"rows_scattered", "rows scattered"},
                                             {"collective_bytes", "bytes through collectives"},
                                             {"collective_launches", "collectives launched"},
                                             {"hbm_bytes", "HBM bytes"},
                                             {"matmul_flops", "matrix FLOP"},
                                             {"vector_operations", "vector operations"},
                                             {"host_bytes", "bytes from the host"},
                                             {"loop_rounds", "loop rounds"},
                                             {"ops", "ops"},
                                             {"steps", "steps"}};
    return kinds;
}

} // namespace alxsim::experiments
