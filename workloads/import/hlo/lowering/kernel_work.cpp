// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/lowering/kernel_work.h"

namespace alxsim::hlo {

model::Custom work_of_kernel(const KernelCost& cost, std::string_view op_name)
{
    model::Custom work;
    work.flops = static_cast<double>(cost.flops);
    work.transcendentals = static_cast<double>(cost.transcendentals);
    for (const char* word : {"attention", "flash", "splash"}) {
        work.attention = work.attention || op_name.find(word) != std::string_view::npos;
    }
    return work;
}

} // namespace alxsim::hlo
