// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/commands/commands.h"

namespace alxsim::program {

/// Adds the subcommands that workloads bring.
void add_workload_commands(CLI::App& app, Action& action);

} // namespace alxsim::program
