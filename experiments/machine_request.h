// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"

#include <string>

namespace alxsim::experiments {

/// The machine that a study's point asks for. Throws InputError at the field's place.
topologies::Machine machine_of(const Json& study, const std::string& file);

/// A point's `machine` in the report; `twisted` and `faults` (how many) only where there are any.
Json machine_json(const topologies::Machine& machine);

} // namespace alxsim::experiments
