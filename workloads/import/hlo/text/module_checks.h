// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

namespace alxsim::hlo {

/// Throws InputError, with the instruction's place, where an instruction of this computation has
/// not the operands, the called computations or the parts of tuples that its opcode needs: what
/// counts and lowers modules relies on it.
void check_instructions(const Module& module, const Computation& computation);

} // namespace alxsim::hlo
