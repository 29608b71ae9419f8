// SPDX-License-Identifier: Apache-2.0
#include "alx/kernels/levels.h"
#include "alx/kernels/table.h"

namespace alxsim::alx {

Kernels x86_64_v4_kernels(const SolverKernels<Bf16Number>& bf16)
{
    return table(bf16);
}

} // namespace alxsim::alx
