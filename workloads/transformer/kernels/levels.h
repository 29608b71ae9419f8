// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/kernels/kernels.h"

namespace alxsim::transformer {

// The tables of the levels; those above the baseline are there on x86-64 alone.
Kernels baseline_kernels();
Kernels x86_64_v3_kernels();
Kernels x86_64_v4_kernels();

} // namespace alxsim::transformer
