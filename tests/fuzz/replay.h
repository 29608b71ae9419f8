// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace alxsim::fuzz {

/// A reader did with an input what it never may.
class Finding : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

enum class Outcome { read, refused };

/// The readers, by the names of their corpora.
std::vector<std::string> targets();
/// Those of them that read JSON.
std::vector<std::string> documents();

/// Lets a reader read `bytes` from a file. Throws Finding where it gives a matrix that is none, or
/// an error that names no place in the file; other exceptions, which are findings too, pass.
Outcome replay(const std::string& target, std::string_view bytes);

/// Whether an error's message, behind the file's name, begins with a line, record, node, bit, byte,
/// field or JSON pointer.
bool names_a_place(std::string_view message);

} // namespace alxsim::fuzz
