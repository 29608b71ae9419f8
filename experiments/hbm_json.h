// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// A point's `hbm` in the report: the address mapping, and what streams and row gathers get out of
/// the banks under it.
Json hbm_json(const topologies::Machine& machine);

} // namespace alxsim::experiments
