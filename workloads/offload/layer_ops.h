// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/request.h"
#include "workloads/offload/schedule/offload_schedule.h"

namespace alxsim::offload {

/// Bytes of a layer, on the paths below HBM.
struct LayerBytes {
    std::int64_t parameters = 0;
    Bytes weights{0}; ///< and gradients, in numbers of the model's dtype
    Bytes state{0};   ///< what the optimizer keeps: weights that it changes, moments
    Bytes written{0}; ///< state, and the weights in the model's dtype where these are others
    Bytes updated{0}; ///< half of what the host's cores read and write
};
LayerBytes layer_bytes(const OffloadConfig& config);

/// A step's ops: what a device computes is as in the transformer's own step, with the layers'
/// weights and gradients in arrays that take turns; embeddings, the last norm and the head stay in
/// HBM with their state, and the device changes them.
StepOps step_ops(const OffloadConfig& config);

} // namespace alxsim::offload
