// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace alxsim::program {

/// The program `alxsim` with the kinds of workload that workloads::registry() has before, and those
/// of this project behind them: runs the command that the arguments name. Its exit code; where a
/// command left work running that would use what the end of main() destroys, it ends the process
/// with that code itself. Its points run in processes of the calling executable, each of which
/// calls this again.
int run_program(int argc, char** argv);

} // namespace alxsim::program
