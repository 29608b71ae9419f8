// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/printable.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim {

/// Something the user gave is wrong: bad usage or bad input (exit code 2). The message names the
/// file, the place in it (line, column or JSON pointer), what was found and what is allowed, as
/// printable() has it.
class InputError : public std::runtime_error {
public:
    InputError(const std::string& file, const std::string& place, const std::string& problem);
    explicit InputError(const std::string& problem) : InputError("", "", problem) {}
    /// What `cause` says, and more behind it.
    InputError(const InputError& cause, const std::string& more)
        : InputError(cause.file(), cause.place(), cause.problem() + more)
    {
    }

    /// What it was made of, for programs; "" for what was not said.
    const std::string& file() const { return parts_->file; }
    const std::string& place() const { return parts_->place; }
    const std::string& problem() const { return parts_->problem; }
    /// Out of the problem, as messages are written: "found X; allowed: Y". "" where it is not so.
    std::string found() const;
    std::string allowed() const;

private:
    struct Parts {
        std::string file;
        std::string place;
        std::string problem;
    };
    std::shared_ptr<const Parts> parts_; ///< a copy of an exception may not throw
};

/// The error whose message came from another process as `message`: of `file`, if it names that one,
/// and of a JSON pointer in it.
InputError input_error_of(const std::string& message, const std::string& file);

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

} // namespace alxsim
