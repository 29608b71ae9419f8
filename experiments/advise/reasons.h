// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>

namespace alxsim::experiments {

/// {phase, phase_share, share, share_share}: the longest phase of an epoch, and which of compute,
/// HBM, communication, host and idle is most of it.
Json bound_of(const Json& point);

/// Why a plan is faster than the released one, or is not: the phases that became shorter most, and
/// longer, and what the choices do. `set` is the plan's, pointer -> value.
std::string why(const Json& released, const Json& plan, const Json& set);

} // namespace alxsim::experiments
