// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/batches/dense_batches.h"
#include "alx/batches/step_traffic.h"
#include "alx/config.h"
#include "alx/device_mesh.h"
#include "alx/shard_map.h"
#include "alx/sparse_matrix.h"
#include "alx/steps/host_moves.h"
#include "alx/steps/planned_step.h"
#include "alx/steps/step_graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace alxsim::model {
struct OpGraph;
} // namespace alxsim::model

namespace alxsim::alx {

/// One half as its plan sees it. All referenced objects outlive it.
struct HalfSide {
    std::string own;           ///< "rows" or "columns": the table that is solved for
    std::string fixed;         ///< the other one
    const SparseMatrix& links; ///< by rows of the own table
    const ShardMap& own_map;
    const ShardMap& fixed_map;
};

/// The steps of a half of real batches, and the op graph of each: one for all where the sizes
/// follow from the geometry, else each step's own. A half of n batch steps that gathers p steps
/// ahead has n + p steps, one more in front if the gather wants a copy of the fixed table or
/// that stands below HBM, and one more behind if the updated table does.
class HalfPlan {
public:
    /// `effects` go on every graph. Throws InputError for an unknown strategy.
    /// `batches` outlive this.
    HalfPlan(const AlxConfig& config, const DeviceMesh& mesh, const HalfSide& side,
             const DenseBatches& batches, HalfEffects effects = {});

    const DenseBatches& batches() const { return batches_; }
    const DeviceMesh& mesh() const { return mesh_; }
    int prefetch_depth() const { return static_cast<int>(depth_); }
    std::int64_t batch_steps() const;
    /// Steps before the first that gathers a batch.
    std::int64_t steps_before() const { return before_ ? 1 : 0; }
    std::int64_t steps() const;
    PlannedStep step(std::int64_t k) const;
    /// Kept: the same graph for every epoch.
    std::shared_ptr<const model::OpGraph> graph(std::int64_t k);
    /// What its batches are like in the mean, as far as the strategies need it. Kept is what each
    /// step gathers, for its graph.
    TrafficMeans traffic_means();

private:
    /// Steps with equal ones have one graph: the step's number where sizes follow the data, what it
    /// does, and what it moves.
    using GraphKey = std::tuple<std::int64_t, StepPart, HostMoves>;

    GraphKey key_of(std::int64_t k) const;
    TrafficSource source() const;
    HalfTraffic traffic_of(const PlannedStep& step) const;
    StepTraffic gathered(std::int64_t batch_step) const;
    /// Returns the rows of a fixed table below HBM, [devices]; empty after the last step.
    std::vector<std::int64_t> asked_rows(std::int64_t batch_step) const;
    HostMoves first_moves() const;
    std::shared_ptr<const model::OpGraph> make_graph(const PlannedStep& step) const;

    AlxConfig config_;
    DeviceMesh mesh_;
    HalfSide side_;
    const DenseBatches& batches_;
    HalfEffects effects_;
    HalfShape shape_;
    TrafficNeeds needs_;
    std::int64_t depth_ = 0;            ///< at most the number of batch steps
    std::vector<StepTraffic> gathered_; ///< [batch step], where traffic_means() has asked for it
    HostMovePlan moves_;
    std::shared_ptr<const model::OpGraph> before_;
    std::shared_ptr<const model::OpGraph> after_;
    std::map<GraphKey, std::shared_ptr<const model::OpGraph>> graphs_;
};

} // namespace alxsim::alx
