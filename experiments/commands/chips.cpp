// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/commands.h"
#include "topologies/describe.h"

#include <iostream>

namespace alxsim::experiments {

void add_chips(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "chips", "Lists the chip presets, or one of them with the source of each number");
    auto name = std::make_shared<std::string>();
    command->add_option("NAME", *name,
                        "A preset (tpu_v2 ... tpu_7x) or the path of one of your own");
    command->footer(
        "\nA preset of your own is a JSON file of the same form: see topologies/README.md.\n"
        "To change single values, use /machine/overrides in a study or --override in 'alxsim "
        "op'.\n");
    command->callback([name, &action] {
        action = [name] {
            std::cout << (name->empty()
                              ? topologies::describe_chips()
                              : topologies::describe_chip(topologies::Preset::load(*name)));
            return 0;
        };
    });
}

} // namespace alxsim::experiments
