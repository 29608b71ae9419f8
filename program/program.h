// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::program {

/// The program `alxsim`: runs the command that the arguments name; its exit code. Kinds of workload
/// of one's own are added to workloads::registry() before.
int run_program(int argc, char** argv);

} // namespace alxsim::program
