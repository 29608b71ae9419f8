// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"
#include "topologies/machine.h"

namespace alxsim::experiments {

/// The address mapping of a chip's memory, and what streams and row gathers get out of the banks
/// under it.
report::HbmRates hbm_rates_of(const topologies::Machine& machine);

} // namespace alxsim::experiments
