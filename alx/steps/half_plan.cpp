// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/half_plan.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

StepPart part_of(const PlannedStep& step)
{
    if (step.gathers == step.solves) {
        return StepPart::whole;
    }
    return step.solves == PlannedStep::nothing    ? StepPart::gather_ahead
           : step.gathers == PlannedStep::nothing ? StepPart::solve_gathered
                                                  : StepPart::solve_and_gather_ahead;
}

/// Of the mean batch.
std::int64_t links_of_batch(const SparseMatrix& links, const DenseBatches& batches)
{
    const auto count = static_cast<std::int64_t>(batches.batches.size());
    return count == 0 ? 0 : (links.links() + count / 2) / count;
}

} // namespace

HalfPlan::HalfPlan(const AlxConfig& config, const DeviceMesh& mesh, const HalfSide& side,
                   const DenseBatches& batches, HalfEffects effects)
    : config_(config),
      mesh_(mesh),
      side_(side),
      batches_(batches),
      effects_(std::move(effects)),
      shape_{side.own,
             side.fixed,
             batches_.geometry,
             side.own_map.shard_rows(),
             side.fixed_map.shard_rows(),
             batches.splits_rows,
             links_of_batch(side.links, batches)},
      needs_(needs_of(config, mesh)),
      depth_(std::min<std::int64_t>(config.prefetch_depth, batch_steps()))
{
    config_.prefetch_depth = static_cast<int>(depth_);
    if (auto before = before_half_graph(config_, shape_, mesh_)) {
        before_ = std::make_shared<model::OpGraph>(std::move(*before));
    }
}

std::int64_t HalfPlan::batch_steps() const
{
    return static_cast<std::int64_t>(batches_.batches.size()) / mesh_.devices;
}

std::int64_t HalfPlan::steps() const
{
    return batch_steps() + depth_ + (before_ ? 1 : 0);
}

PlannedStep HalfPlan::step(std::int64_t k) const
{
    const std::int64_t place = k - (before_ ? 1 : 0);
    PlannedStep result;
    if (place < 0) {
        return result;
    }
    if (place < batch_steps()) {
        result.gathers = place;
    }
    if (place >= depth_) {
        result.solves = place - depth_;
    }
    return result;
}

std::shared_ptr<const model::OpGraph> HalfPlan::graph(std::int64_t k)
{
    const PlannedStep planned = step(k);
    if (before_ && k == 0) {
        return before_;
    }
    // Steps whose sizes do not follow the data share one graph for each part.
    const std::int64_t key = needs_.any() ? k : -1 - static_cast<std::int64_t>(part_of(planned));
    std::shared_ptr<const model::OpGraph>& known = graphs_[key];
    if (!known) {
        known = make_graph(planned);
    }
    return known;
}

std::shared_ptr<const model::OpGraph> HalfPlan::make_graph(const PlannedStep& planned) const
{
    return std::make_shared<const model::OpGraph>(
        half_step_graph(config_, shape_, mesh_, effects_, traffic_of(planned), part_of(planned)));
}

TrafficSource HalfPlan::source() const
{
    return {side_.links, batches_, side_.own_map, side_.fixed_map, mesh_};
}

HalfTraffic HalfPlan::traffic_of(const PlannedStep& planned) const
{
    HalfTraffic traffic;
    if (needs_.gathers() && planned.gathers != PlannedStep::nothing) {
        traffic.gathered = gathered(planned.gathers);
    }
    if (planned.solves == PlannedStep::nothing) {
        return traffic;
    }
    if (needs_.long_rows_from) {
        traffic.solved =
            planned.solves == planned.gathers ? traffic.gathered : gathered(planned.solves);
    }
    if (needs_.solutions) {
        traffic.solved.solutions = solution_traffic(source(), planned.solves);
    }
    return traffic;
}

StepTraffic HalfPlan::gathered(std::int64_t batch_step) const
{
    return gathered_.empty() ? gather_traffic(source(), batch_step, needs_)
                             : gathered_[static_cast<std::size_t>(batch_step)];
}

TrafficMeans HalfPlan::traffic_means()
{
    const std::int64_t steps = needs_.gathers() ? batch_steps() : 0;
    for (auto step = static_cast<std::int64_t>(gathered_.size()); step < steps; ++step) {
        gathered_.push_back(gather_traffic(source(), step, needs_));
    }
    return mean_of_batches(source(), gathered_);
}

} // namespace alxsim::alx
