// SPDX-License-Identifier: Apache-2.0
#include "base/file_output.h"
#include "base/json_document.h"
#include "program/commands/app_words.h"
#include "program/commands/commands.h"
#include "program/requests/named_schema.h"

#include <filesystem>

namespace alxsim::program {
namespace {

void write_man_pages(const CLI::App& app, const CLI::App& program,
                     const std::vector<std::string>& words, const std::string& folder)
{
    write_file_atomically(folder + "/" + CLI::detail::join(words, "-") + ".1",
                          man_page(app, program, words));
    for (const CLI::App* command : commands_of(app)) {
        std::vector<std::string> longer = words;
        longer.push_back(command->get_name());
        write_man_pages(*command, program, longer, folder);
    }
}

void write_schemas(const std::string& folder)
{
    std::filesystem::create_directories(folder);
    for (const std::string& name : names_of_schemas()) {
        write_file_atomically(folder + "/" + name + ".schema.json",
                              named_schema(name).dump(2) + "\n");
    }
}

int write_manual(const CLI::App& program, const std::string& folder)
{
    std::filesystem::create_directories(folder + "/man1");
    std::filesystem::create_directories(folder + "/completions");
    write_man_pages(program, program, {"alxsim"}, folder + "/man1");
    write_schemas(folder + "/schema");
    write_file_atomically(folder + "/completions/alxsim", bash_completion(program));
    return 0;
}

} // namespace

void add_manual(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "manual", "Writes man pages, schemas and the bash completion to a folder");
    command->group(""); // hidden: the build calls it
    auto folder = std::make_shared<std::string>();
    command->add_option("FOLDER", *folder, "Folder for man1/, schema/ and completions/")
        ->required();
    command->callback([&app, folder, &action] {
        action = [&app, folder] { return write_manual(app, *folder); };
    });
}

} // namespace alxsim::program
