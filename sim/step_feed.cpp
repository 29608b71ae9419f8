// SPDX-License-Identifier: Apache-2.0
#include "sim/step_feed.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"
#include "sim/one_chip.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::sim {
namespace {

using model::OpGraph;

bool has_collectives(const OpGraph& graph)
{
    return model::any_op(graph, [](const model::Op& op) {
        return std::holds_alternative<model::Collective>(op.work);
    });
}

/// A counter speaks for every device; and where a loop holds collectives, all devices must iterate
/// alike, or one would wait for the others for ever.
void check_counts(const OpGraph& graph, const model::Counts& counts, int devices)
{
    model::for_each_op(graph, [&](const model::Op& op) {
        const model::Repeat* repeat = model::as_repeat(op);
        if (repeat == nullptr || repeat->counter.empty() || counts.count(repeat->counter) == 0) {
            return;
        }
        const std::vector<std::int64_t>& times = counts.at(repeat->counter);
        if (times.size() != static_cast<std::size_t>(devices)) {
            throw InputError("counter '" + repeat->counter + "' has " +
                             std::to_string(times.size()) + " entries; allowed: one for each of " +
                             std::to_string(devices) + " devices");
        }
        const auto [least, most] = std::minmax_element(times.begin(), times.end());
        if (*least != *most && has_collectives(*repeat->body)) {
            throw InputError("counter '" + repeat->counter + "' is between " +
                             std::to_string(*least) + " and " + std::to_string(*most) +
                             "; allowed: the same on all devices, because the loop '" + op.name +
                             "' holds collectives");
        }
    });
}

std::vector<int> devices_of_role(const model::CompiledGraph& graph, int devices)
{
    if (graph.roles.empty()) {
        return {devices};
    }
    std::vector<int> count(graph.roles.size());
    for (int device = 0; device < devices; ++device) {
        ++count[static_cast<std::size_t>(graph.role_of[static_cast<std::size_t>(device)])];
    }
    return count;
}

} // namespace

StepFeed::StepFeed(model::StepSource& source, const topologies::Machine& machine, int devices)
    : source_(source),
      machine_(machine),
      devices_(devices),
      programs_(machine, phases_)
{
}

const ActiveStep* StepFeed::enter(std::int64_t index)
{
    if (index == first_active_ + static_cast<std::int64_t>(active_.size()) && !ended_) {
        try {
            std::optional<ActiveStep> step = next_step();
            if (step) {
                active_.push_back(std::move(*step));
            }
            ended_ = !step;
        } catch (...) {
            failure_ = std::current_exception();
            ended_ = true;
        }
    }
    const std::int64_t position = index - first_active_;
    return position < static_cast<std::int64_t>(active_.size())
               ? &active_[static_cast<std::size_t>(position)]
               : nullptr;
}

std::optional<ActiveStep> StepFeed::next_step()
{
    std::optional<model::Step> step = source_.next();
    if (!step) {
        return std::nullopt;
    }
    if (step->epoch < 1) {
        throw std::invalid_argument("epochs are counted from 1; found a step of epoch " +
                                    std::to_string(step->epoch));
    }
    check_counts(*step->graph, step->counts, machine_.devices);
    std::shared_ptr<const model::CompiledGraph> graph = programs_.compiled(step->graph);
    if (devices_ < machine_.devices && !has_chips_alike(*graph, step->counts, machine_)) {
        throw ChipsDiffer();
    }
    std::vector<int> of_role = devices_of_role(*graph, devices_);
    return ActiveStep{std::move(*step), std::move(graph), devices_, source_.again(),
                      std::move(of_role)};
}

void StepFeed::leave_out(std::int64_t steps, std::int64_t skip)
{
    if (skip != last_skip_) {
        last_skip_ = skip;
        source_.leave_out(steps);
    }
}

void StepFeed::rethrow_failure() const
{
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

bool StepFeed::leave(std::int64_t index)
{
    const bool last = --active_[static_cast<std::size_t>(index - first_active_)].devices_left == 0;
    while (!active_.empty() && active_.front().devices_left == 0) {
        active_.pop_front();
        ++first_active_;
    }
    return last;
}

} // namespace alxsim::sim
