// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::program {

/// Adds the kinds of workload of this project to workloads::registry(), behind those that a program
/// has added before; once, however often it is called.
void add_workloads();

} // namespace alxsim::program
