// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::offload {

/// "offload": a training step of a transformer whose layers stand below HBM.
workloads::Kind offload_kind();

} // namespace alxsim::offload
