// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "workloads/workload.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// {phase, phase_share, share, share_share}: the longest phase of an epoch, and which of compute,
/// HBM, communication, host and idle is most of it.
Json bound_of(const Json& point);

/// Why a plan is faster than the released one, or is not: the phases that became shorter most, and
/// longer, and what the choices do. `released` and `plan`: figures of an epoch; `effects`: of the
/// plan's options; `workload`: the plan's. A phase has the time that an epoch is longer by it: work
/// that goes on behind others' is not in it, and the workload's remarks say so.
std::string why(const Json& released, const Json& plan, const std::vector<std::string>& effects,
                const workloads::Workload& workload);

} // namespace alxsim::experiments
