// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/printable.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim {

/// Something the user gave is wrong: bad usage or bad input (exit code 2). The message names the
/// file, the place in it (line, column or JSON pointer), what was found and what is allowed, as
/// printable() has it.
class InputError : public std::runtime_error {
public:
    InputError(const std::string& file, const std::string& place, const std::string& problem)
        : InputError((file.empty() ? "" : file + ": ") + (place.empty() ? "" : place + ": ") +
                     problem)
    {
    }
    explicit InputError(const std::string& problem) : std::runtime_error(printable(problem)) {}
};

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

} // namespace alxsim
