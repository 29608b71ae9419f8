// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/explain/explanation.h"
#include "experiments/points/timing/memory_time.h"

namespace alxsim::experiments {

/// Names the preset values that set "row issue" of what held an interval up. Of a report that does
/// not tell it apart, takes it out of "hbm" first, in the proportion of `time`.
void tell_row_issue(std::vector<TimePart>& mechanisms, const MemoryTime& time);

} // namespace alxsim::experiments
