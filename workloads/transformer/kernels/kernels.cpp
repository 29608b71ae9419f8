// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/kernels/kernels.h"

#include "workloads/transformer/kernels/levels.h"

namespace alxsim::transformer {

const Kernels& kernels_of(CpuLevel level)
{
    static const Kernels baseline = baseline_kernels();
#if defined(__x86_64__)
    if (level == CpuLevel::x86_64_v4) {
        static const Kernels v4 = x86_64_v4_kernels();
        return v4;
    }
    if (level == CpuLevel::x86_64_v3) {
        static const Kernels v3 = x86_64_v3_kernels();
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

} // namespace alxsim::transformer
