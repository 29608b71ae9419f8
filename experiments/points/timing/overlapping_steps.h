// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/timing/timing.h"

namespace alxsim::experiments {

/// Whether the interval is what several steps take less what those before the last one take
/// (model::StepGroup).
bool has_overlapping_steps(const model::Program& interval);

/// Both through SystemC, and the difference. `trace` watches the several; null: nobody does.
Timing simulate_overlapping(const model::Program& interval, const topologies::Machine& machine,
                            PointTrace* trace);

/// As many of them as a run has, one like the other.
Timing repeated(const Timing& one, int intervals);

} // namespace alxsim::experiments
