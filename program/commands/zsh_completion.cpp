// SPDX-License-Identifier: Apache-2.0
#include "program/commands/app_words.h"
#include "topologies/preset.h"

namespace alxsim::program {
namespace {

const char* const zsh_begins = R"(#compdef alxsim
# Zsh completion of alxsim, made by the program itself at build time.
local command="" i last=1
local -a commands
for ((i = 2; i < CURRENT; ++i)); do
    case "$command ${words[i]}" in
        )";

const char* const zsh_goes_on = R"()
        command=${command:+$command }${words[i]}
        last=$i
        ;;
    esac
done
# _arguments shall see the command alone.
shift $((last - 1)) words
((CURRENT -= last - 1))
case $command in
)";

/// Inside single quotes, and inside the brackets and colons of _arguments.
std::string zsh_escaped(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        if (c == '\'') {
            result += "'\\''";
        } else {
            if (c == '[' || c == ']' || c == ':' || c == '\\') {
                result += '\\';
            }
            result += c;
        }
    }
    return result;
}

/// What stands behind the names of an option: its description, and its value's words, or files.
std::string zsh_value_of(const CLI::Option& option)
{
    std::string words = "[" + zsh_escaped(first_sentence(option.get_description())) + "]";
    if (!takes_value(option)) {
        return words;
    }
    const std::vector<std::string> values = values_of(option);
    words += ":" + zsh_escaped(value_words(option).placeholder) + ":";
    if (!values.empty()) {
        words += "(" + CLI::detail::join(values, " ") + ")";
    } else if (!value_words(option).number) {
        words += "_files";
    }
    return words;
}

/// The arguments of _arguments for one command: a line for each spelling of each option.
std::string zsh_arguments_of(const CLI::App& app)
{
    std::string lines;
    for (const CLI::Option* option : options_of(app)) {
        for (const std::string& name : spellings(*option)) {
            lines += " \\\n        '*" + name + zsh_value_of(*option) + "'";
        }
    }
    if (!commands_of(app).empty()) {
        return lines + " \\\n        '1:command:{_describe command commands}'";
    }
    for (const CLI::Option* argument : arguments_of(app)) {
        if (value_words(*argument).chip) {
            return lines + " \\\n        '*:chip:(" +
                   CLI::detail::join(topologies::Preset::names(), " ") + ")'";
        }
    }
    return lines + " \\\n        '*:file:_files'";
}

std::string zsh_case_of(const CLI::App& app, const std::string& path)
{
    std::string text = "'" + path + "')\n";
    if (!commands_of(app).empty()) {
        text += "    commands=(";
        for (const CLI::App* command : commands_of(app)) {
            text += "\n        '" + command->get_name() + ":" +
                    zsh_escaped(first_sentence(command->get_description())) + "'";
        }
        text += ")\n";
    }
    return text + "    _arguments -s -S" + zsh_arguments_of(app) + "\n    ;;\n";
}

} // namespace

std::string zsh_completion(const CLI::App& program)
{
    std::string commands, cases;
    for_each_command(program, [&](const CLI::App& app, const std::string& path) {
        for (const CLI::App* command : commands_of(app)) {
            commands += (commands.empty() ? "'" : " | '") + path + " " + command->get_name() + "'";
        }
        cases += zsh_case_of(app, path);
    });
    return zsh_begins + commands + zsh_goes_on + cases + "esac\n";
}

} // namespace alxsim::program
