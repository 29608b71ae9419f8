// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/job.h"
#include "experiments/points/uncertainty/machine_unknowns.h"
#include "model/costs/breakdown.h"
#include "model/estimate.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// A job as the analytic model has it, if it fits into memory.
struct DrawnEstimate {
    bool fits = false;
    model::Breakdown interval; ///< empty where it does not fit
};

/// Analytic models in closed form that nobody uses now, for all threads. Draws of which axes wrap
/// have models of their own: schedules of one kind are no use to the other.
class IdleModels {
public:
    /// One that goes by `machine`.
    std::unique_ptr<model::AnalyticModel> take(const topologies::Machine& machine);
    /// `machine`: the one that it went by.
    void give_back(const topologies::Machine& machine, std::unique_ptr<model::AnalyticModel> model);

private:
    struct Idle {
        std::vector<topologies::Axis> axes; ///< of the slice that it went by
        std::unique_ptr<model::AnalyticModel> model;
    };

    std::mutex mutex_;
    std::vector<Idle> idle_;
};

/// A job whose unknowns, the machine's and then the workload's, can be set to other values and
/// that is then estimated again by the analytic model. Safe to use from many threads.
class UncertainJob {
public:
    using Values = workloads::DrawnValues;

    explicit UncertainJob(const Job& job);

    const std::vector<Unknown>& unknowns() const { return unknowns_; }
    /// What its times are of.
    std::string interval() const { return workload_->interval(); }
    /// No unknown has a value.
    Values as_it_is() const { return Values(unknowns_.size()); }

    /// The machine with these values. Throws InputError for values that no machine has.
    topologies::Machine machine(const Values& values) const;
    /// One interval. Throws InputError for values that no machine, or no job, has.
    model::Breakdown estimate(const Values& values) const;
    DrawnEstimate estimate_with_memory(const Values& values) const;
    /// One of the workload's figures that are no times; NaN for a name that it does not have.
    double figure(const std::string& name, const Values& values) const;

private:
    model::Breakdown estimate_of(const model::Program& program,
                                 const topologies::Machine& machine) const;
    /// One interval's. An error says which values were drawn.
    model::Program program(const Values& values) const;
    /// Those of the workload's unknowns.
    Values workload_values(const Values& values) const;

    MachineInputs machine_;
    WorkloadPointer workload_;
    std::vector<MachineUnknown> machine_unknowns_;
    std::vector<Unknown> unknowns_;
    std::unique_ptr<IdleModels> models_ = std::make_unique<IdleModels>();
};

} // namespace alxsim::experiments
