// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// What a command line means that the program does not take.
namespace alxsim::program {

/// Refuses a first word that is no command, or no command of a command that has some (`dataset
/// stats`), where CLI11 would only say that one is missing. Throws InputError.
void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& words);

/// Says what is meant by the first argument that the chosen command does not take: "; did you mean
/// '--optimise'?", or "".
std::string hint_of(const CLI::App& app);

} // namespace alxsim::program
