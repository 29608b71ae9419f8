// SPDX-License-Identifier: Apache-2.0
#include "program/commands/app_words.h"
#include "topologies/preset.h"

namespace alxsim::program {
namespace {

const char* const fish_begins =
    R"(# Fish completion of alxsim, made by the program itself at build time.
function __alxsim_command
    set -l command ""
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case )";

const char* const fish_goes_on = R"(
                set command (string trim "$command $word")
        end
    end
    echo $command
end
)";

std::string fish_quoted(const std::string& text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + "'";
}

/// A line for what may follow the command `path`.
std::string fish_line(const std::string& path, const std::string& what,
                      const std::string& description)
{
    const std::string here = path.empty() ? "\"\"" : fish_quoted(path);
    return "complete -c alxsim -n " + fish_quoted("test \"$(__alxsim_command)\" = " + here) + what +
           (description.empty() ? "" : " -d " + fish_quoted(description)) + "\n";
}

std::string fish_option_line(const CLI::Option& option, const std::string& path)
{
    std::string what;
    for (const std::string& name : option.get_snames()) {
        what += " -s " + name;
    }
    for (const std::string& name : option.get_lnames()) {
        what += " -l " + name;
    }
    const std::vector<std::string> values = values_of(option);
    if (!values.empty()) {
        what += " -x -a " + fish_quoted(CLI::detail::join(values, " "));
    } else if (takes_value(option)) {
        what += value_words(option).number ? " -x" : " -r";
    }
    return fish_line(path, what, first_sentence(option.get_description()));
}

/// What a command has of its own: commands, or chips, and options.
std::string fish_lines_of(const CLI::App& app, const std::string& path)
{
    std::string lines;
    for (const CLI::App* command : commands_of(app)) {
        lines += fish_line(path, " -f -a " + command->get_name(),
                           first_sentence(command->get_description()));
    }
    for (const CLI::Option* argument : arguments_of(app)) {
        if (value_words(*argument).chip) {
            lines += fish_line(
                path, " -f -a " + fish_quoted(CLI::detail::join(topologies::Preset::names(), " ")),
                first_sentence(argument->get_description()));
        }
    }
    for (const CLI::Option* option : options_of(app)) {
        lines += fish_option_line(*option, path);
    }
    return lines;
}

} // namespace

std::string fish_completion(const CLI::App& program)
{
    std::string commands, lines;
    for_each_command(program, [&](const CLI::App& app, const std::string& path) {
        for (const CLI::App* command : commands_of(app)) {
            commands += (commands.empty() ? "'" : " '") + path + " " + command->get_name() + "'";
        }
        lines += fish_lines_of(app, path);
    });
    return fish_begins + commands + fish_goes_on + lines;
}

} // namespace alxsim::program
