// SPDX-License-Identifier: Apache-2.0
#include "program/commands/commands.h"
#include "program/requests/named_schema.h"

#include <iostream>
#include <memory>

namespace alxsim::program {

void add_schema(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "schema",
        "Prints the JSON Schema of what it reads or writes: study, report, op_graph, ...");
    auto name = std::make_shared<std::string>();
    command->add_option("NAME", *name, "What the schema is of")
        ->required()
        ->check(CLI::IsMember(names_of_schemas()));
    command->footer(
        "\nSchemas are of draft 7. Inputs (study, op_graph, preset, statements, measured) allow "
        "no\n"
        "unknown field. What is written (report, trace, inferred; check and chips with --json)\n"
        "may get new fields within a version, so its schemas allow them.\n");
    command->callback([name, &action] {
        action = [name] {
            std::cout << named_schema(*name).dump(2) << '\n';
            return 0;
        };
    });
}

} // namespace alxsim::program
