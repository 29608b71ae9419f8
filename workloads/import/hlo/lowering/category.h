// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <string>

namespace alxsim::hlo {

/// What XProf calls the kind of an instruction (hlo_category): "convolution fusion", "loop fusion",
/// "all-gather", "data formatting", ... Of fusions, by what they hold, else by their kind; names as
/// in the profiler's xla_op_utils.h.
std::string category_of(const Module& module, const Instruction& instruction);

} // namespace alxsim::hlo
