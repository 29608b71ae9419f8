// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"
#include "sim/observe/timeline.h"

#include <cstddef>

namespace alxsim::experiments {

/// So many of the longest spans are told by themselves: enough for a chart of a step.
constexpr std::size_t longest_spans = 100;

/// The critical path as a report has it: the `longest` longest spans, and what lies between two of
/// them as one. `timeline` has a step.
report::CriticalPath path_spans_of(const sim::Timeline& timeline,
                                   std::size_t longest = longest_spans);

} // namespace alxsim::experiments
