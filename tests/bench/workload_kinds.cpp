// SPDX-License-Identifier: Apache-2.0
// Gives the benchmarks the kinds of workload that the program has.
#include "program/registration/workloads.h"

namespace {

[[maybe_unused]] const bool added = (alxsim::program::add_workloads(), true);

} // namespace
