// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "topologies/machine.h"

#include <string>

namespace alxsim::experiments {

/// A preset's name as it is, or the path of one of one's own as the study means it: relative to the
/// study's folder.
std::string chip_of(const std::string& chip, const std::string& study_file);

/// The machine that a study's point asks for. Throws InputError at the field's place.
topologies::Machine machine_of(const Json& study, const std::string& file);

/// A point's `machine` in the report; `twisted` and `faults` (how many) only where there are any,
/// and `slice_asked` only of an assumed slice of which the study says the shape or the wraps.
Json machine_json(const topologies::Machine& machine, const Json& study);

} // namespace alxsim::experiments
