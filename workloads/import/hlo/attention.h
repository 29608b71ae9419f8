// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/kernels.h"
#include "workloads/import/hlo/text/module.h"

#include <optional>

namespace alxsim::hlo {

/// What a kernel of flash attention multiplies, by the shapes of its operands and results.
struct AttentionKernel {
    std::int64_t scores = 0; ///< batch x heads x positions of queries x positions of keys
    std::int64_t size = 0;   ///< of a head
    int products = 0; ///< of scores x size; 2 forward, 3 to dQ, 4 to dK and dV, 5 to all three
    std::int64_t bytes = 0; ///< of operands and results
};

/// The first three floating-point operands are queries, keys and values [.., positions, size];
/// backward there is one more of the queries' shape, the gradient of the output, and as many
/// gradients as results of such shapes. (Products: forward QK and PV; backward QK and dO V, and one
/// for each gradient. Dao et al., "FlashAttention", 2022, algorithms 1 and 4.) Nothing where the
/// shapes are not of this kind.
std::optional<AttentionKernel> attention_kernel(const Computation& computation,
                                                const Instruction& instruction);

/// Returns the cost of one call: two operations a multiplication, an exponential a score. If it is
/// causal, half of the scores are computed.
KernelCost cost_of(const AttentionKernel& kernel, bool causal);

} // namespace alxsim::hlo
