// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"

#include <array>
#include <vector>

namespace alxsim::offload {

/// When the optimizer changes a layer's parameters, and what the next step waits for.
enum class Schedule {
    sync, ///< all layers after the whole backward, the next step after all of them
    fifo, ///< each as its gradient arrives
    edf,  ///< of those that wait the one that the next forward needs first (earliest deadline)
    stale ///< as fifo, beside the step that follows: it computes with the weights before
};
constexpr std::array<ValueName<Schedule>, 4> value_names(Schedule /*any*/)
{
    return {{{"sync", Schedule::sync},
             {"fifo", Schedule::fifo},
             {"edf", Schedule::edf},
             {"stale", Schedule::stale}}};
}

/// Layers whose gradients, or stashed activations, may stand in HBM.
inline constexpr int layers_in_turn = 2;

/// A step whose layers come from below HBM.
struct OffloadShape {
    Schedule schedule = Schedule::sync;
    int layers = 1;
    /// Layers whose weights may be in HBM or on their way at once, the one that computes among
    /// them: with 2 the next one's come beside it.
    int prefetch = 2;
    /// Layers whose optimizer's state may be in host memory at once, from the beginning of its read
    /// to the end of its write.
    int buffers = 4;
    /// The optimizer waits for all gradients, by whose norm they are clipped.
    bool clips = false;
};

/// What each layer takes, in seconds, 0 where there is nothing to do; and the rest of a step on the
/// device. Norms of gradients are not there: who waits for them takes layers as they come.
struct LayerTimes {
    double fetch = 0, load = 0, forward = 0, stash = 0, restore = 0, backward = 0, unload = 0;
    double read = 0, update = 0, write = 0;
    double ahead = 0, between = 0, behind = 0; ///< of the layers' forward and backward
};

enum class OptimizerPart { read, update, write };
struct OptimizerTask {
    OptimizerPart part;
    int layer;
};
inline bool operator==(const OptimizerTask& a, const OptimizerTask& b)
{
    return a.part == b.part && a.layer == b.layer;
}

/// All of a step, in an order in which they can be done one by one; tasks of one part are done one
/// after another, as they stand here.
using OptimizerOrder = std::vector<OptimizerTask>;

/// Layers in the order in which their gradients arrive, the last first.
OptimizerOrder order_of_gradients(int layers);

/// As the drives, the host's cores and the drives again take layers up when each, as it becomes
/// free, takes the first of those that wait, found by a replay of some steps with these times: that
/// of a late step. Mostly steps are alike by then; where they go on differing it is one of theirs.
OptimizerOrder earliest_deadline_first(const OffloadShape& shape, const LayerTimes& times);

} // namespace alxsim::offload
