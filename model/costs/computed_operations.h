// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/program.h"

namespace alxsim::model {

/// Multiplications and additions of the products that a program computes on so many devices
/// together, what it computes again included: those of matmuls (once, however many passes they
/// take) and what custom kernels say. Where loops in each other follow the data, from the mean
/// iterations of each.
double computed_operations(const Program& program, int devices);

} // namespace alxsim::model
