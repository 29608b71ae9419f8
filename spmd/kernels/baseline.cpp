// SPDX-License-Identifier: Apache-2.0
#include "spmd/kernels/levels.h"
#include "spmd/kernels/table.h"

namespace alxsim::spmd {

Kernels baseline_kernels(const SolverKernels<Bf16Number>& bf16)
{
    return table(bf16);
}

} // namespace alxsim::spmd
