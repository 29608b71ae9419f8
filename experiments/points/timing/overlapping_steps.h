// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/timing/timing.h"

namespace alxsim::experiments {

/// Whether the interval is what several steps take less what those before the last one take
/// (model::StepGroup).
bool has_overlapping_steps(const model::Program& interval);

/// Times both runs through SystemC, and takes the difference. `trace` watches the longer; may be
/// null.
Timing simulate_overlapping(const model::Program& interval, const topologies::Machine& machine,
                            PointTrace* trace);

/// Repeats the timing of one interval, as often as a run has intervals.
Timing repeated(const Timing& one, int intervals);

} // namespace alxsim::experiments
