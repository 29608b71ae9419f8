// SPDX-License-Identifier: Apache-2.0
#include "alx/steps/half_plan.h"

#include "alx/strategies/exchange_ops.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

/// Returns the links of the mean batch.
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
      depth_(std::min<std::int64_t>(config.prefetch_depth, batch_steps())),
      moves_(config, shape_, mesh, static_cast<std::int64_t>(batches.examples.size()),
             batch_steps(), largest(asked_rows(0)))
{
    config_.prefetch_depth = static_cast<int>(depth_);
    if (auto before = before_half_graph(config_, shape_, mesh_, first_moves())) {
        before_ = std::make_shared<model::OpGraph>(std::move(*before));
    }
    if (auto after = HostMoveOps(config_, shape_, mesh_).after_half(moves_)) {
        after_ = std::make_shared<model::OpGraph>(std::move(*after));
    }
}

std::int64_t HalfPlan::batch_steps() const
{
    return static_cast<std::int64_t>(batches_.batches.size()) / mesh_.devices;
}

std::int64_t HalfPlan::steps() const
{
    return steps_before() + batch_steps() + depth_ + (after_ ? 1 : 0);
}

PlannedStep HalfPlan::step(std::int64_t k) const
{
    return planned_step(k - steps_before(), batch_steps(), depth_);
}

HalfPlan::GraphKey HalfPlan::key_of(std::int64_t k) const
{
    const PlannedStep planned = step(k);
    return {needs_.any() ? k : 0, part_of(planned), moves_.at(planned)};
}

std::shared_ptr<const model::OpGraph> HalfPlan::graph(std::int64_t k)
{
    if (before_ && k == 0) {
        return before_;
    }
    if (after_ && k == steps() - 1) {
        return after_;
    }
    std::shared_ptr<const model::OpGraph>& known = graphs_[key_of(k)];
    if (!known) {
        known = make_graph(step(k));
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
    traffic.moved = moves_.at(planned);
    if (planned.gathers != PlannedStep::nothing) {
        traffic.moved.asked_rows_in = asked_rows(planned.gathers + 1);
    }
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

std::vector<std::int64_t> HalfPlan::asked_rows(std::int64_t batch_step) const
{
    const bool below = !config_.table_tier.fixed_in_hbm();
    return below && batch_step < batch_steps() ? gathered(batch_step).rows.leaving
                                               : std::vector<std::int64_t>();
}

HostMoves HalfPlan::first_moves() const
{
    HostMoves moves = moves_.before();
    moves.asked_rows_in = asked_rows(0);
    return moves;
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
