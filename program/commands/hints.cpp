// SPDX-License-Identifier: Apache-2.0
#include "program/commands/hints.h"

#include "base/input_error.h"
#include "base/json_document.h"
#include "experiments/points/study/study_schema.h"
#include "program/commands/app_words.h"

#include <algorithm>
#include <map>

namespace alxsim::program {
namespace {

/// What people call commands that are named otherwise here.
std::string command_meant_by(const std::string& word)
{
    static const std::map<std::string, std::string> others{
        {"help", "--help"},          {"version", "--version"},
        {"simulate", "run"},         {"train", "run"},
        {"optimise", "advise"},      {"optimize", "advise"},
        {"tune", "advise"},          {"autotune", "advise"},
        {"search", "advise"},        {"plot", "report"},
        {"show", "report"},          {"diff", "compare"},
        {"collective", "op"},        {"ops", "op"},
        {"list", "chips"},           {"presets", "chips"},
        {"machines", "chips"},       {"dry-run", "check"},
        {"validate-study", "check"}, {"data", "dataset"},
        {"fit", "calibrate"}};
    const auto found = others.find(word);
    return found == others.end() ? "" : "; did you mean '" + found->second + "'?";
}

/// Fields of a study that are called so, as JSON pointers: "/machine/cores" of "cores". Where
/// neither the study nor its machine has one, those of the kinds of workload, three at most.
std::vector<std::string> study_fields_named(const std::string& name)
{
    const Json study = Json::parse(experiments::study_schema());
    const auto has = [&](const Json& schema) {
        return schema.value("properties", Json::object()).contains(name);
    };
    const Json& fields = study.at("properties");
    if (has(study)) {
        return {"/" + name};
    }
    if (has(fields.at("machine"))) {
        return {"/machine/" + name};
    }
    std::vector<std::string> pointers;
    for (const auto& [kind, schema] : fields.at("workload").at("properties").items()) {
        if (has(schema) && pointers.size() < 3) {
            pointers.push_back("/workload/" + kind + "/" + name);
        }
    }
    return pointers;
}

/// Says what is meant by an option that a command does not take: another one, or a field of the
/// study.
std::string hint_of_option(const std::string& option, const CLI::App& command)
{
    std::vector<std::string> known;
    for (const CLI::Option* one : options_of(command)) {
        const std::vector<std::string> spelt = spellings(*one);
        known.insert(known.end(), spelt.begin(), spelt.end());
    }
    std::string name = option.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    if (command.get_option_no_throw("--set") != nullptr) {
        const std::vector<std::string> fields = study_fields_named(name);
        if (!fields.empty()) {
            return "; this is the study's: --set " + join(fields, "=..., or --set ") + "=...";
        }
    }
    return did_you_mean(option, known);
}

} // namespace

void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& words)
{
    const std::string word = words.empty() ? "-" : words.front();
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == word) {
            refuse_unknown_command(*command, {words.begin() + 1, words.end()});
            return;
        }
        if (!command->get_group().empty()) {
            commands.push_back(command->get_name());
        }
    }
    if (commands.empty() || word.empty() || word.front() == '-') {
        return;
    }
    const bool first = app.get_parent() == nullptr;
    const std::string meant = first ? command_meant_by(word) : "";
    throw InputError((first ? "no command" : "no command of '" + app.get_name() + "'") +
                     " is named '" + word + "'" +
                     (meant.empty() ? did_you_mean(word, commands) : meant) +
                     " (allowed: " + join(commands) + ")");
}

std::string hint_of(const CLI::App& app)
{
    for (const CLI::App* command : app.get_subcommands()) {
        for (const std::string& word : command->remaining(true)) {
            const std::string option = word.substr(0, word.find('='));
            if (option.rfind("--", 0) == 0 && option.size() > 2) {
                return hint_of_option(option, *command);
            }
        }
    }
    return "";
}

} // namespace alxsim::program
