// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace alxsim::hlo {

/// An array of an instruction's result that has the memory of an array among its operands, both
/// counted through their leaves: those of the operands one operand behind the other.
struct Alias {
    std::size_t result_leaf, operand_leaf;
    /// Else only if nothing reads the operand behind the instruction.
    bool always;
};

/// Returns those of one instruction; what is not named has memory of its own.
std::vector<Alias> aliases_of(const Module& module, const Computation& computation,
                              const Instruction& instruction);

/// An output that is written where a donated argument is: input_output_alias of the first line.
struct DonatedOutput {
    std::size_t output_leaf, parameter;
};

std::vector<DonatedOutput> donated_outputs(const Module& module);

} // namespace alxsim::hlo
