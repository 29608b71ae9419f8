// SPDX-License-Identifier: Apache-2.0
#include "program/commands/app_words.h"
#include "topologies/preset.h"

namespace alxsim::program {
namespace {

const char* const completion_begins =
    R"(# Bash completion of alxsim, made by the program itself at build time.
# shellcheck shell=bash disable=SC2207
_alxsim()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" options="" words="" i
    if [[ $word == "=" ]]; then # --option=value is three words to bash
        word=""
    elif [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case "$command ${COMP_WORDS[i]}" in
)";

const char* const completion_ends = R"(    esac
    if [[ $word == -* ]]; then
        words=$options
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
# Where there are no words to offer, files are.
complete -o bashdefault -o default -F _alxsim alxsim
)";

/// What may follow an option that takes a value: a case for each.
std::string value_cases(const CLI::App& app, const std::string& path)
{
    std::string cases;
    for (const CLI::Option* option : options_of(app)) {
        if (!takes_value(*option)) {
            continue;
        }
        std::string pattern;
        for (const std::string& name : spellings(*option)) {
            pattern += (pattern.empty() ? "\"" : " | \"") + path + " " + name + "\"";
        }
        cases += "    " + pattern + ")\n        COMPREPLY=(";
        const std::string words = CLI::detail::join(values_of(*option), " ");
        cases += words.empty() ? ")\n" : "$(compgen -W \"" + words + "\" -- \"$word\"))\n";
        cases += value_words(*option).number
                     ? "        compopt +o bashdefault +o default 2>/dev/null\n"
                     : "";
        cases += "        return\n        ;;\n";
    }
    return cases;
}

/// What a command has of its own: options, and commands or chips.
std::string command_case(const CLI::App& app, const std::string& path)
{
    std::vector<std::string> options, words;
    for (const CLI::Option* option : options_of(app)) {
        for (const std::string& name : spellings(*option)) {
            options.push_back(name);
        }
    }
    for (const CLI::App* command : commands_of(app)) {
        words.push_back(command->get_name());
    }
    for (const CLI::Option* argument : arguments_of(app)) {
        if (value_words(*argument).chip) {
            words = topologies::Preset::names();
        }
    }
    return "    \"" + path + "\")\n        options=\"" + CLI::detail::join(options, " ") +
           "\"\n        words=\"" + CLI::detail::join(words, " ") + "\"\n        ;;\n";
}

} // namespace

std::string bash_completion(const CLI::App& program)
{
    std::string commands, values, own;
    for_each_command(program, [&](const CLI::App& app, const std::string& path) {
        for (const CLI::App* command : commands_of(app)) {
            commands += (commands.empty() ? "        \"" : " | \\\n            \"") + path + " " +
                        command->get_name() + "\"";
        }
        values += value_cases(app, path);
        own += command_case(app, path);
    });
    return completion_begins + commands +
           ")\n            command=${command:+$command }${COMP_WORDS[i]}\n            ;;\n"
           "        esac\n    done\n    case \"$command $previous\" in\n" +
           values + "    esac\n    case \"$command\" in\n" + own + completion_ends;
}

} // namespace alxsim::program
