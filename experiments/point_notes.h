// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// What somebody who reads a point's numbers should know of its machine: overrides that change
/// nothing, or not in full. Sentences without a capital and a full stop.
std::vector<std::string> notes_of(const topologies::Machine& machine);

/// The distinct notes of some points (`notes` of each, where there are any), one line each:
/// "note: ...\n".
std::string notes_in_lines(const std::vector<Json>& points);

} // namespace alxsim::experiments
