// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/uncertainty/uncertain_job.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"
#include "model/graph/memory.h"
#include "model/job_estimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::experiments {

std::unique_ptr<model::AnalyticModel> IdleModels::take(const topologies::Machine& machine)
{
    std::unique_ptr<model::AnalyticModel> model;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& one) {
            return one.axes == machine.slice.axes();
        });
        if (found != idle_.rend()) {
            model = std::move(found->model);
            std::swap(*found, idle_.back());
            idle_.pop_back();
        }
    }
    if (model == nullptr) {
        return std::make_unique<model::AnalyticModel>(machine, model::ScheduleTimes::closed_form);
    }
    model->use(machine);
    return model;
}

void IdleModels::give_back(const topologies::Machine& machine,
                           std::unique_ptr<model::AnalyticModel> model)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back({machine.slice.axes(), std::move(model)});
}

namespace {

/// On the machine that `model` goes by, which will place the program's graphs in any case.
bool fits_memory(const workloads::Workload& workload, const model::Program& program,
                 model::AnalyticModel& model)
{
    const auto placement = [&model](
        const std::shared_ptr<const model::OpGraph>& graph) -> const auto&
    {
        return model.placement(graph);
    };
    model::MemoryFit fit = model::memory_sums(program, model.machine(), placement);
    fit.allocated = workload.compiled_bytes();
    return fit.fits();
}

/// Whether bytes of a job go to or from storage.
bool uses_storage(const model::Program& program)
{
    return std::any_of(program.begin(), program.end(), [](const model::StepGroup& group) {
        return model::any_op(*group.step.graph, [](const model::Op& op) {
            const auto* copy = std::get_if<model::Copy>(&op.work);
            return copy != nullptr && copy->with_storage();
        });
    });
}

MachineInputs inputs_of(const topologies::Machine& machine, const model::Program& program)
{
    MachineInputs inputs{machine.preset, machine.slice, machine.faults};
    inputs.uses_storage = uses_storage(program);
    inputs.schedule = machine.schedule;
    inputs.compiler_flags = machine.compiler_flags;
    inputs.wrap_is_given = machine.wrap_is_given;
    return inputs;
}

} // namespace

UncertainJob::UncertainJob(const Job& job)
    : machine_(inputs_of(job.machine, job.workload->program())),
      workload_(job.workload),
      machine_unknowns_(machine_unknowns(machine_))
{
    for (const MachineUnknown& one : machine_unknowns_) {
        unknowns_.push_back(one.unknown);
    }
    for (Unknown& one : workload_->unknowns()) {
        unknowns_.push_back(std::move(one));
    }
}

UncertainJob::Values UncertainJob::workload_values(const Values& values) const
{
    const auto first = static_cast<std::ptrdiff_t>(machine_unknowns_.size());
    return {values.begin() + first, values.end()};
}

topologies::Machine UncertainJob::machine(const Values& values) const
{
    MachineInputs inputs = machine_;
    for (std::size_t i = 0; i < machine_unknowns_.size(); ++i) {
        if (values.at(i)) {
            machine_unknowns_[i].set(inputs, *values[i]);
        }
    }
    inputs.input = workload_->drawn_input_rates(workload_values(values));
    return machine_of(inputs);
}

model::Breakdown UncertainJob::estimate_of(const model::Program& program,
                                           const topologies::Machine& machine) const
{
    std::unique_ptr<model::AnalyticModel> model = models_->take(machine);
    model::Breakdown estimated = model::estimate(program, *model);
    models_->give_back(machine, std::move(model));
    return estimated;
}

model::Program UncertainJob::program(const Values& values) const
{
    try {
        return workload_->drawn(workload_values(values));
    } catch (const InputError& error) {
        std::vector<std::string> drawn;
        for (std::size_t i = machine_unknowns_.size(); i < values.size(); ++i) {
            if (values[i]) {
                drawn.push_back(unknowns_[i].name + " = " + Json(*values[i]).dump());
            }
        }
        if (drawn.empty()) {
            throw;
        }
        throw InputError("",
                         "in a draw of the uncertain inputs (" + join(drawn) +
                             "; nobody wrote these values, and --no-band leaves draws out)",
                         error.what());
    }
}

model::Breakdown UncertainJob::estimate(const Values& values) const
{
    return estimate_of(program(values), machine(values));
}

double UncertainJob::figure(const std::string& name, const Values& values) const
{
    return workload_->figure(name, workload_values(values)).value_or(std::nan(""));
}

DrawnEstimate UncertainJob::estimate_with_memory(const Values& values) const
{
    const topologies::Machine drawn = machine(values);
    const model::Program of_drawn = program(values);
    std::unique_ptr<model::AnalyticModel> model = models_->take(drawn);
    DrawnEstimate estimated{fits_memory(*workload_, of_drawn, *model), {}};
    if (estimated.fits) {
        estimated.interval = model::estimate(of_drawn, *model);
    }
    models_->give_back(drawn, std::move(model));
    return estimated;
}

} // namespace alxsim::experiments
