// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/chips/chips_answer.h"
#include "experiments/points/roofline.h"
#include "program/commands/app_words.h"
#include "program/commands/commands.h"
#include "topologies/describe.h"
#include "topologies/machine.h"

#include <iostream>

namespace alxsim::program {

using namespace experiments;

namespace {

struct ChipsRequest {
    std::string name;
    bool roofline = false;
    bool unsourced = false;
    bool json = false;
};

/// Describes what a name means that may have a size: the slice, then the chip.
std::string description_of(const std::string& chip)
{
    const auto preset = topologies::Preset::load(chip);
    const std::optional<topologies::Machine> machine = machine_named(chip, preset);
    return (machine ? topologies::describe_machine(*machine) + "\n" : "") +
           topologies::describe_chip(preset);
}

/// What the request asks for, as JSON.
Json json_answer(const ChipsRequest& request)
{
    return request.roofline       ? roofline_of_chips(request.name)
           : request.unsourced    ? unsourced_of_chips(request.name)
           : request.name.empty() ? listed_chips()
                                  : json_of(named_chip(request.name));
}

int run_chips(const ChipsRequest& request)
{
    if (request.json) {
        std::cout << json_answer(request).dump(2) << "\n";
        return 0;
    }
    if (!request.roofline && !request.unsourced) {
        std::cout << (request.name.empty() ? topologies::describe_chips()
                                           : description_of(request.name));
        return 0;
    }
    const std::vector<std::string> names =
        request.name.empty() ? topologies::Preset::names() : std::vector<std::string>{request.name};
    for (const std::string& name : names) {
        const auto preset = topologies::Preset::load(name);
        std::cout << (request.unsourced ? topologies::describe_unsourced(preset)
                                        : roofline_table(preset))
                  << std::flush;
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
                     "A chip (tpu_v2 ... tpu_7x), by any of its names, also with a size (v5e-16, "
                     "v4-8, tpu7x-2x2x1); or the path of a preset of your own")
        ->type_name(chip_type);
    command->add_flag("--roofline", request->roofline,
                      "Simulate a large matmul, a vector op, HBM streams and row gathers on one "
                      "chip, next to its datasheet; of all presets if no NAME is given");
    command
        ->add_flag("--unsourced", request->unsourced,
                   "List the values that rest on an assumption alone; of all presets if no NAME "
                   "is given")
        ->excludes("--roofline");
    command->add_flag(
        "--json", request->json,
        "Print numbers as JSON, in the units of the preset: with NAME each value with "
        "its band, unit, kind and source, and the slices ('alxsim schema chips')");
    command->footer(
        "\nA preset of your own is a JSON file of the same form: see topologies/README.md.\n"
        "To change single values, use /machine/overrides in a study or --override in 'alxsim "
        "op'.\n");
    command->callback([request, &action] { action = [request] { return run_chips(*request); }; });
}

} // namespace alxsim::program
