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

int write_manual(const CLI::App& program, const std::string& folder)
{
    std::filesystem::create_directories(folder + "/man1");
    std::filesystem::create_directories(folder + "/completions");
    std::filesystem::create_directories(folder + "/schemas");
    write_man_pages(program, program, {"alxsim"}, folder + "/man1");
    write_file_atomically(folder + "/completions/alxsim", bash_completion(program));
    write_file_atomically(folder + "/completions/alxsim.fish", fish_completion(program));
    write_file_atomically(folder + "/completions/_alxsim", zsh_completion(program));
    for (const std::string& name : names_of_schemas()) {
        write_file_atomically(folder + "/schemas/" + name + ".schema.json",
                              named_schema(name).dump(2) + "\n");
    }
    return 0;
}

} // namespace

void add_manual(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand(
        "manual", "Writes man pages, completions and schemas to a folder, for packages");
    command->group(""); // hidden: the build calls it
    auto folder = std::make_shared<std::string>();
    command->add_option("FOLDER", *folder, "Folder for man1/, completions/ and schemas/")
        ->required();
    command->callback([&app, folder, &action] {
        action = [&app, folder] { return write_manual(app, *folder); };
    });
}

} // namespace alxsim::program
