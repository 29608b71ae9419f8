// SPDX-License-Identifier: Apache-2.0
#include "experiments/points/study/known_phases.h"

#include "base/input_error.h"
#include "experiments/points/study/job.h"
#include "model/graph/for_each_op.h"
#include "workloads/registry.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

/// Those of the ops, and what the host may add to any job.
std::vector<std::string> phases_of_ops(const PointStudy& study)
{
    std::vector<std::string> names{"dispatch", "infeed"};
    const Job job = sketch_on(machine_of(study.machine, study.file), study);
    for (const model::StepGroup& group : job.workload->program()) {
        model::for_each_op(*group.step.graph,
                           [&](const model::Op& op) { names.push_back(op.phase.text()); });
    }
    return names;
}

std::vector<std::string> phases_of(const PointStudy& study)
{
    const workloads::Kind& kind = workloads::registry().kind_of(study.document, study.file);
    if (!kind.phases.empty()) {
        return kind.phases;
    }
    try {
        return phases_of_ops(study);
    } catch (const InputError&) {
        return {};
    }
}

} // namespace

bool KnownPhases::has(const std::string& phase)
{
    const auto known = [&] {
        return std::find(names_.begin(), names_.end(), phase) != names_.end();
    };
    while (!known() && read_ < points_.size()) {
        read_next();
    }
    return known();
}

const std::vector<std::string>& KnownPhases::names()
{
    while (read_ < points_.size()) {
        read_next();
    }
    return names_;
}

void KnownPhases::read_next()
{
    for (std::string& name : phases_of(*points_[read_++])) {
        if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
            names_.push_back(std::move(name));
        }
    }
}

} // namespace alxsim::experiments
