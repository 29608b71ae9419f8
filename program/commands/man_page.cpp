// SPDX-License-Identifier: Apache-2.0
#include "experiments/version.h"
#include "program/commands/app_words.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace alxsim::program {

using namespace experiments;

namespace {

/// Text as roff shows it: no character is a command or a typographic dash or quote.
std::string roff(const std::string& text)
{
    static const std::map<char, const char*> escapes{{'\\', "\\e"},   {'-', "\\-"},
                                                     {'\'', "\\(aq"}, {'^', "\\(ha"},
                                                     {'~', "\\(ti"},  {'`', "\\(ga"}};
    std::string result;
    for (const char c : text) {
        if (c == '.' && (result.empty() || result.back() == '\n')) {
            result += "\\&";
        }
        const auto escape = escapes.find(c);
        result += escape == escapes.end() ? std::string(1, c) : escape->second;
    }
    return result;
}

std::string bold(const std::string& text)
{
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text)
{
    return "\\fI" + roff(text) + "\\fR";
}

/// A text with its line breaks, without empty lines around it.
std::string as_it_stands(const std::string& text)
{
    const std::size_t first = text.find_first_not_of('\n');
    if (first == std::string::npos) {
        return "";
    }
    const std::size_t last = text.find_last_not_of('\n');
    return ".EX\n" + roff(text.substr(first, last - first + 1)) + "\n.EE\n";
}

struct Footer {
    std::string notes;
    std::string exit_status; ///< from "Exit codes:" on
};

/// A footer's last words are what it says of exit codes, if it says something.
Footer footer_of(const CLI::App& app)
{
    const std::string text = app.get_footer();
    const std::size_t at = text.find("\nExit code");
    if (at == std::string::npos) {
        return {text, ""};
    }
    std::string status = text.substr(at + 1);
    std::replace(status.begin(), status.end(), '\n', ' ');
    status.erase(status.find_last_not_of(' ') + 1);
    return {text.substr(0, at), status};
}

std::string option_entry(const CLI::Option& option)
{
    std::string names;
    for (const std::string& name : spellings(option)) {
        names += (names.empty() ? "" : ", ") + bold(name);
    }
    std::string text = option.get_description();
    if (takes_value(option)) {
        names += " " + italic(value_words(option).placeholder);
        const std::string standard = option.get_default_str();
        text += standard.empty() ? "" : " [" + standard + "]";
    }
    return ".TP\n" + names + "\n" + roff(text) + "\n";
}

std::string argument_entry(const CLI::Option& option)
{
    return ".TP\n" + italic(option.get_name(true)) + "\n" + roff(option.get_description()) + "\n";
}

std::string synopsis(const CLI::App& app, const std::string& call)
{
    std::string line = bold(call) + " [" + italic("OPTIONS") + "]";
    for (const CLI::Option* argument : arguments_of(app)) {
        std::string name = italic(argument->get_name(true));
        name += argument->get_expected_max() > 1 ? "..." : "";
        line += argument->get_required() ? " " + name : " [" + name + "]";
    }
    if (!commands_of(app).empty()) {
        line += " " + italic("COMMAND") + " ...";
    }
    return line + "\n";
}

std::string upper_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// The command's own: ARGUMENTS, OPTIONS, COMMANDS.
std::string sections_of(const CLI::App& app, const std::string& page)
{
    std::string text;
    const auto section = [&](const std::string& title, const std::string& entries) {
        text += entries.empty() ? "" : ".SH " + title + "\n" + entries;
    };
    std::string arguments, options, commands;
    for (const CLI::Option* argument : arguments_of(app)) {
        arguments += argument_entry(*argument);
    }
    for (const CLI::Option* option : options_of(app)) {
        options += option_entry(*option);
    }
    for (const CLI::App* command : commands_of(app)) {
        commands += ".TP\n" + bold(page + "-" + command->get_name()) + "(1)\n" +
                    roff(command->get_description()) + "\n";
    }
    section("ARGUMENTS", arguments);
    section("OPTIONS", options);
    section("COMMANDS", commands);
    return text;
}

} // namespace

std::string man_page(const CLI::App& app, const CLI::App& program,
                     const std::vector<std::string>& words)
{
    const std::string page = CLI::detail::join(words, "-");
    const Footer footer = footer_of(app);
    const std::string about = app.get_description();
    const bool whole = words.size() == 1;
    std::string text = ".\\\" Made by the program itself, at build time.\n.TH " +
                       roff(upper_case(page)) + " 1 \"\" \"alxsim " + version + "\" \"alxsim\"\n";
    text += ".SH NAME\n" + roff(page) + " \\- " +
            roff(whole ? "a simulator of TPU slices" : about) + "\n";
    text += ".SH SYNOPSIS\n" + synopsis(app, CLI::detail::join(words, " "));
    text += ".SH DESCRIPTION\n" + roff(about) + (about.back() == '\n' ? "" : ".\n");
    text += sections_of(app, page);
    const std::string notes = as_it_stands(footer.notes);
    text += notes.empty() ? "" : ".SH NOTES\n" + notes;
    text += ".SH EXIT STATUS\n" +
            roff(footer.exit_status.empty() ? footer_of(program).exit_status : footer.exit_status) +
            "\n";
    if (!whole) {
        const std::string above =
            CLI::detail::join(std::vector<std::string>(words.begin(), words.end() - 1), "-");
        text += ".SH SEE ALSO\n" + bold(above) + "(1)\n";
    }
    return text;
}

} // namespace alxsim::program
