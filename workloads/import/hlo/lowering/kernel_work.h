// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "workloads/import/hlo/kernels.h"

#include <string_view>

namespace alxsim::hlo {

/// A kernel by its author's estimate. Attention, whose products reach a share of the arrays' rate,
/// is told by the name of its operation ("attention", "flash", "splash").
model::Custom work_of_kernel(const KernelCost& cost, std::string_view op_name);

} // namespace alxsim::hlo
