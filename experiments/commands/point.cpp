// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "experiments/runner.h"

namespace alxsim::experiments {

void add_point(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("point", "Runs one point read from standard input");
    command->group(""); // hidden: `run` starts it
    command->callback([&action] { action = serve_point; });
}

} // namespace alxsim::experiments
