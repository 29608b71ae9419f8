// SPDX-License-Identifier: Apache-2.0
#include "program/commands/commands.h"
#include "program/requests/named_schema.h"

#include <cstdio>
#include <iostream>
#include <memory>

namespace alxsim::program {
namespace {

int print_schema(const std::string& name)
{
    if (!name.empty()) {
        std::cout << named_schema(name).dump(2) << '\n';
        return 0;
    }
    std::printf("Schemas, to print with 'alxsim schema NAME':\n");
    for (const SchemaLine& line : listed_schemas()) {
        std::printf("  %-12s %s\n", line.name.c_str(), line.words.c_str());
    }
    return 0;
}

} // namespace

void add_schema(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "schema",
        "Prints the JSON Schema of what it reads or writes: study, report, op_graph, ...");
    auto name = std::make_shared<std::string>();
    command->add_option("NAME", *name, "What the schema is of (default: lists the names)")
        ->check(CLI::IsMember(names_of_schemas()));
    command->footer(
        "\nSchemas are of draft 7. Inputs (study, op_graph, preset, statements, measured) allow "
        "no\n"
        "unknown field. What is written (report, trace, inferred; advise, check, chips, compare,\n"
        "explain with --json) may get new fields within a version, so its schemas allow them.\n");
    command->callback([name, &action] { action = [name] { return print_schema(*name); }; });
}

} // namespace alxsim::program
