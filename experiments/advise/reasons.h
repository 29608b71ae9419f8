// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>

namespace alxsim::experiments {

/// {phase, phase_share, share, share_share}: the longest phase of an epoch, and which of compute,
/// HBM, communication, host and idle is most of it.
Json bound_of(const Json& point);

/// Why a plan is faster than the released one, or is not: the phases that became shorter most, and
/// longer, and what the choices do. `released` and `plan`: figures of an epoch; `set`: the
/// plan's, pointer -> value; `prefetched`: it gathers ahead. A phase has the time that an epoch is
/// longer by it: work that a prefetch does behind others' is not in it, and the words say so.
std::string why(const Json& released, const Json& plan, const Json& set, bool prefetched);

} // namespace alxsim::experiments
