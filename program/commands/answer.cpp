// SPDX-License-Identifier: Apache-2.0
#include "program/commands/answer.h"

#include "base/file_output.h"
#include "report/html.h"

#include <iostream>

namespace alxsim::program {

void add_answer_form(CLI::App& command, AnswerForm& form)
{
    command.add_flag("--json", form.json, "Print JSON: the numbers behind the words");
    command.add_option(
        "--html", form.html,
        "Write the words and tables there as a page, to mail or to print: FILE.html");
}

void tell(const AnswerForm& form, const std::string& title, const Document& words,
          const Json& numbers)
{
    const std::string json = numbers.dump(2) + "\n";
    if (!form.output.empty()) {
        write_file_atomically(form.output, json);
    }
    if (!form.html.empty()) {
        write_file_atomically(form.html, report::document_page(words, title));
    }
    std::cout << (form.json ? json : words.text());
}

} // namespace alxsim::program
