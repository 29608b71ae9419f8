// SPDX-License-Identifier: Apache-2.0
#include "program/commands/app_words.h"

#include "topologies/preset.h"

#include <algorithm>
#include <sstream>

namespace alxsim::program {
namespace {

std::vector<std::string> parts_between_commas(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

void visit_commands(const CLI::App& app, const std::string& path,
                    const std::function<void(const CLI::App&, const std::string&)>& visit)
{
    visit(app, path);
    for (const CLI::App* command : commands_of(app)) {
        visit_commands(
            *command, path.empty() ? command->get_name() : path + " " + command->get_name(), visit);
    }
}

} // namespace

ValueWords value_words(const CLI::Option& option)
{
    // CLI11 says "TEXT:{a,b}" of a choice, "INT:POSITIVE" of a number, "TEXT" of other words.
    const std::string type = option.get_type_name();
    ValueWords words;
    words.placeholder = type.substr(0, type.find_first_of(" :"));
    words.chip = words.placeholder == chip_type;
    words.number =
        words.placeholder == "INT" || words.placeholder == "UINT" || words.placeholder == "FLOAT";
    const std::size_t open = type.find('{');
    if (open != std::string::npos) {
        words.choices = parts_between_commas(type.substr(open + 1, type.rfind('}') - open - 1));
        words.placeholder = CLI::detail::join(words.choices, "|");
    } else if (words.number) {
        words.placeholder = "N";
    }
    return words;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app)
{
    return app.get_subcommands(
        [](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* option) {
        return option->nonpositional() && !option->get_group().empty();
    });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app)
{
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> spellings(const CLI::Option& option)
{
    std::vector<std::string> result;
    for (const std::string& name : option.get_snames()) {
        result.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        result.push_back("--" + name);
    }
    return result;
}

bool takes_value(const CLI::Option& option)
{
    return option.get_items_expected_max() > 0;
}

void for_each_command(const CLI::App& program,
                      const std::function<void(const CLI::App&, const std::string&)>& visit)
{
    visit_commands(program, "", visit);
}

std::string first_sentence(const std::string& description)
{
    std::string sentence = description.substr(0, description.find(". "));
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    if (!sentence.empty() && sentence.back() == '.') {
        sentence.pop_back();
    }
    return sentence;
}

std::vector<std::string> values_of(const CLI::Option& option)
{
    const ValueWords value = value_words(option);
    return value.chip ? topologies::Preset::names() : value.choices;
}

} // namespace alxsim::program
