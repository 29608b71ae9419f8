// SPDX-License-Identifier: Apache-2.0
#include "sim/step_feed.h"

#include "model/placement.h"

namespace alxsim::sim {

StepFeed::StepFeed(model::StepSource& source, const topologies::Machine& machine)
    : source_(source),
      machine_(machine)
{
}

const ActiveStep* StepFeed::enter(std::int64_t index)
{
    if (index == first_active_ + static_cast<std::int64_t>(active_.size()) && !ended_) {
        std::optional<model::Step> step = source_.next();
        if (!step) {
            ended_ = true;
            return nullptr;
        }
        const model::CompiledGraph* graph = compiled(step->graph);
        active_.push_back({std::move(*step), graph, machine_.devices});
    }
    const std::int64_t position = index - first_active_;
    return position < static_cast<std::int64_t>(active_.size())
               ? &active_[static_cast<std::size_t>(position)]
               : nullptr;
}

void StepFeed::leave(std::int64_t index)
{
    --active_[static_cast<std::size_t>(index - first_active_)].devices_left;
    while (!active_.empty() && active_.front().devices_left == 0) {
        active_.pop_front();
        ++first_active_;
    }
}

const model::CompiledGraph* StepFeed::compiled(const std::shared_ptr<const model::OpGraph>& graph)
{
    Program& program = programs_[graph.get()];
    if (!program.compiled) {
        program.graph = graph;
        program.compiled = model::compile(
            *graph, model::place(*graph, model::usable_vmem(machine_.device)), machine_, phases_);
    }
    return program.compiled.get();
}

} // namespace alxsim::sim
