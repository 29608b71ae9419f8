// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "base/text/document.h"

#include <CLI/CLI.hpp>

#include <string>

namespace alxsim::program {

/// How a command tells what it found.
struct AnswerForm {
    bool json = false;  ///< what it prints, instead of words
    std::string html;   ///< a page of the same words, if not ""
    std::string output; ///< a file of the JSON, if not ""
};

/// The options --json and --html.
void add_answer_form(CLI::App& command, AnswerForm& form);

/// Writes the files, and prints.
void tell(const AnswerForm& form, const std::string& title, const Document& words,
          const Json& numbers);

} // namespace alxsim::program
