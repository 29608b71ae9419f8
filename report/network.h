// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

namespace alxsim::report {

/// Below this share of the epoch the network counts as off the critical path.
constexpr double off_the_critical_path = 0.05;

/// `network` of a point that has results: whether a faster network would pay, and why.
Json network_of(const Json& point);

} // namespace alxsim::report
