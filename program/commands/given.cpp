// SPDX-License-Identifier: Apache-2.0
#include "program/commands/commands.h"

namespace alxsim::program {

void add_given(CLI::App& command, std::string& file, const std::string& what)
{
    command
        .add_option("--given", file,
                    "A result of 'alxsim infer ... -o FILE': " + what +
                        " come from the draws that agree with its statements")
        ->check(CLI::ExistingFile);
}

} // namespace alxsim::program
