// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/point_server.h"
#include "program/commands/commands.h"

namespace alxsim::program {

using namespace experiments;

void add_point(CLI::App& app, Action& action)
{
    CLI::App* command =
        app.add_subcommand("point", "Runs the points that standard input has, one a line");
    command->group(""); // hidden: `run` starts it
    command->callback([&action] { action = serve_points; });
}

} // namespace alxsim::program
