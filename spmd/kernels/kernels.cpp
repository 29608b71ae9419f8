// SPDX-License-Identifier: Apache-2.0
#include "spmd/kernels/kernels.h"

#include "spmd/kernels/conjugate_gradients.h"
#include "spmd/kernels/factorizations.h"
#include "spmd/kernels/levels.h"

namespace alxsim::spmd {
namespace {

/// bf16 arithmetic is emulated number by number: no level would make it faster.
constexpr SolverKernels<Bf16Number> bf16_solvers{
    conjugate_gradients<Bf16Number>, conjugate_gradients_of_two<Bf16Number>, cholesky<Bf16Number>,
    lu<Bf16Number>, qr<Bf16Number>};

} // namespace

const Kernels& kernels_of(CpuLevel level)
{
    static const Kernels baseline = baseline_kernels(bf16_solvers);
#if defined(__x86_64__)
    if (level == CpuLevel::x86_64_v4) {
        static const Kernels v4 = x86_64_v4_kernels(bf16_solvers);
        return v4;
    }
    if (level == CpuLevel::x86_64_v3) {
        static const Kernels v3 = x86_64_v3_kernels(bf16_solvers);
        return v3;
    }
#endif
    return baseline;
}

const Kernels& kernels()
{
    static const Kernels& chosen = kernels_of(cpu_level());
    return chosen;
}

} // namespace alxsim::spmd
