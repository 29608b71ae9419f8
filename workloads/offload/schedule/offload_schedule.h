// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/op_graph.h"
#include "model/graph/program.h"
#include "topologies/machine.h"
#include "workloads/offload/schedule/optimizer_order.h"

#include <optional>
#include <vector>

namespace alxsim::offload {

/// What is done for each layer, of any kind, without what it waits for; what is not there takes no
/// time.
struct LayerOps {
    using Part = std::optional<model::Op>;
    Part fetch;    ///< weights from storage to host memory
    Part load;     ///< on to HBM
    Part forward;  ///< computes
    Part stash;    ///< activations to host memory
    Part restore;  ///< and back
    Part backward; ///< computes
    Part unload;   ///< gradients to host memory
    Part norm;     ///< of a gradient, where gradients are clipped
    Part read;     ///< the optimizer's state, from storage
    Part update;   ///< by the host's cores
    Part write;    ///< state and weights, to storage
};

/// A step: its layers, and what the device computes around their forward and backward.
struct StepOps {
    LayerOps layer;
    std::vector<model::Op> ahead, between, behind;
    std::vector<model::Buffer> buffers;
};

/// So many steps in a row as one graph. Of a layer fetch, load, compute follow each other, forward
/// and backward; a fetch waits for the compute `prefetch` layers before, and in a forward for the
/// update that the schedule says. Updated weights are in host memory until they are written, so
/// that a fetch need not wait for the write. At most two layers' gradients and stashed activations
/// stand in HBM.
model::OpGraph offloaded_steps(const OffloadShape& shape, const StepOps& ops,
                               const OptimizerOrder& order, int steps);

/// What a step takes on a machine, each by itself.
LayerTimes times_of(const StepOps& ops, const topologies::Machine& machine);

/// In which the schedule has the optimizer take layers.
OptimizerOrder optimizer_order(const OffloadShape& shape, const StepOps& ops,
                               const topologies::Machine& machine);

/// Returns after how many steps all that follow are alike (a law in tests: more of them give the
/// same time): one that begins, one for each step that updates are late, one that is told.
constexpr int steps_until_alike(Schedule schedule)
{
    return schedule == Schedule::stale ? 3 : 2;
}

/// One step; where the next begins before it is over, as what several take less what all of them
/// but the last do, of which there are `steps`.
model::Program offload_program(const OffloadShape& shape, const StepOps& ops,
                               const OptimizerOrder& order, int steps);
inline model::Program offload_program(const OffloadShape& shape, const StepOps& ops,
                                      const OptimizerOrder& order)
{
    return offload_program(shape, ops, order, steps_until_alike(shape.schedule));
}

} // namespace alxsim::offload
