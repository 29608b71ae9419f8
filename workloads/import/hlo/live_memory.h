// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>

namespace alxsim::hlo {

/// Memory of a device, bytes, with padding.
struct LiveMemory {
    std::int64_t arguments_bytes = 0; ///< of the entry's parameters in HBM
    std::int64_t peak_bytes = 0;      ///< arguments and the most that lives at once, in HBM
    /// As XLA's peak_memory_in_bytes: arguments and outputs of all memories (an output that has a
    /// donated argument's place once), and what lives beside them in that memory (HBM, VMEM, the
    /// host's ..) where it is most.
    std::int64_t xla_peak_bytes = 0;
    int peak_instruction = 0; ///< of the entry, where that in HBM is
};

/// Tells of a scheduled module what lives at each instruction, in the order of the text. One buffer
/// are what an instruction passes on (tuples, bitcasts, ends of asynchronous work), a loop's state,
/// the target and result of an update in place, those that aliasing_operands of backend_config and
/// output_to_operand_aliasing name, where the operand is not read again, and an output with the
/// argument that is donated for it; in the memory of a donated argument stands what fits from its
/// last reader to its output. What loops and branches need inside lives while they run.
LiveMemory live_memory(const Module& module);

} // namespace alxsim::hlo
