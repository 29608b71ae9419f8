// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spmd/kernels/kernels.h"

namespace alxsim::spmd {

// The tables of the levels; those above the baseline are there on x86-64 alone.
Kernels baseline_kernels(const SolverKernels<Bf16Number>& bf16);
Kernels x86_64_v3_kernels(const SolverKernels<Bf16Number>& bf16);
Kernels x86_64_v4_kernels(const SolverKernels<Bf16Number>& bf16);

} // namespace alxsim::spmd
