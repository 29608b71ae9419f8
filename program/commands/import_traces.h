// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/commands/commands.h"

namespace alxsim::program {

// Subcommands of `alxsim import`.
void add_import_chakra(CLI::App& parent, Action& action);
void add_import_kineto(CLI::App& parent, Action& action);

} // namespace alxsim::program
