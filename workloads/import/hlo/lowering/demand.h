// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <vector>

namespace alxsim::hlo {

/// [instruction] of a fused computation: how many of its elements are computed at all, since fused
/// code computes what is asked for. Slices ask for what they take; what works element by element
/// for as many as it is asked for itself; all else, and the result, for all.
std::vector<std::int64_t> demanded_elements(const Computation& fused);

/// Whether an element of an instruction's result comes of the same one of its operands, or of none:
/// element by element, copies, bitcasts, pads.
bool keeps_elements(const Instruction& instruction);

} // namespace alxsim::hlo
