// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/point.h"

namespace alxsim::report {

/// Below this share of the interval the network counts as off the critical path.
constexpr double off_the_critical_path = 0.05;

/// Whether a faster network would pay, and why.
Network network_of(const Result& result);

} // namespace alxsim::report
