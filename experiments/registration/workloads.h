// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::experiments {

/// All kinds of workload: those of this project, and what a program has added to
/// workloads::registry() before.
const workloads::Registry& workload_kinds();

} // namespace alxsim::experiments
