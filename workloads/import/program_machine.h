// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"

#include <string>
#include <vector>

namespace alxsim::hlo {

/// Chip, cores, slice, slices and wrap that the files beside the texts say for a study that does
/// not: workloads::Kind::machine.
Json machine_of_program(const Json& study, const std::string& file);

/// The machines of a program of several files, where a study leaves them open:
/// workloads::Kind::sweep.
Named<std::vector<Json>> sweep_of_program(const Json& study, const std::string& file);

} // namespace alxsim::hlo
