// SPDX-License-Identifier: Apache-2.0
#include "experiments/commands/app_words.h"
#include "experiments/commands/commands.h"
#include "experiments/roofline.h"
#include "topologies/describe.h"

#include <iostream>

namespace alxsim::experiments {
namespace {

struct ChipsRequest {
    std::string name;
    bool roofline = false;
};

int run_chips(const ChipsRequest& request)
{
    if (!request.roofline) {
        std::cout << (request.name.empty()
                          ? topologies::describe_chips()
                          : topologies::describe_chip(topologies::Preset::load(request.name)));
        return 0;
    }
    const std::vector<std::string> names =
        request.name.empty() ? topologies::Preset::names() : std::vector<std::string>{request.name};
    for (const std::string& name : names) {
        std::cout << roofline_table(topologies::Preset::load(name)) << std::flush;
    }
    return 0;
}

} // namespace

void add_chips(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "chips", "Lists the chip presets, or one of them with the source of each number");
    auto request = std::make_shared<ChipsRequest>();
    command
        ->add_option("NAME", request->name,
                     "A preset (tpu_v2 ... tpu_7x) or the path of one of your own")
        ->type_name(chip_type);
    command->add_flag("--roofline", request->roofline,
                      "Simulate a large matmul, a vector op, HBM streams and row gathers on one "
                      "chip, next to its datasheet; of all presets if no NAME is given");
    command->footer(
        "\nA preset of your own is a JSON file of the same form: see topologies/README.md.\n"
        "To change single values, use /machine/overrides in a study or --override in 'alxsim "
        "op'.\n");
    command->callback([request, &action] { action = [request] { return run_chips(*request); }; });
}

} // namespace alxsim::experiments
