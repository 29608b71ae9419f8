// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace alxsim::program {

/// The type name of options that take a chip: completion offers the presets.
inline constexpr const char* chip_type = "CHIP";

/// What the value of an option may be.
struct ValueWords {
    std::string placeholder;          ///< for people: "detailed|sampled", "N", "TEXT"
    std::vector<std::string> choices; ///< if only these are allowed
    bool number = false;
    bool chip = false;
};

ValueWords value_words(const CLI::Option& option);

/// Without hidden ones, in the order in which help lists them.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
/// Those with a dash.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::Option*> arguments_of(const CLI::App& app);
/// Its spellings, like "-o" and "--output".
std::vector<std::string> spellings(const CLI::Option& option);
bool takes_value(const CLI::Option& option);

/// The man page of a command, in roff; `words` are how it is called, like {"alxsim", "run"}.
std::string man_page(const CLI::App& app, const CLI::App& program,
                     const std::vector<std::string>& words);

/// Calls `visit` for the program ("") and each of its commands ("dataset stats").
void for_each_command(const CLI::App& program,
                      const std::function<void(const CLI::App&, const std::string&)>& visit);

/// A command's or an option's description up to the end of its first sentence, on one line.
std::string first_sentence(const std::string& description);

/// What may stand as the value of an option: its choices, or the presets.
std::vector<std::string> values_of(const CLI::Option& option);

/// Completion of the program and all its commands, for a shell each.
std::string bash_completion(const CLI::App& program);
std::string fish_completion(const CLI::App& program);
std::string zsh_completion(const CLI::App& program);

} // namespace alxsim::program
