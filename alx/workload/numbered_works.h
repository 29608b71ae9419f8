// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/registry.h"

namespace alxsim::alx {

/// {"work":"solve","matrices","rhs"...}: solves linear systems, and times the solver's ops on a
/// device that solves them all.
workloads::NumberedWork solve_work();

/// {"work":"top_k","scores","k"...}: the best k of each row by the released code's rules. Not
/// timed.
workloads::NumberedWork top_k_work();

} // namespace alxsim::alx
