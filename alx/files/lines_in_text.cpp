// SPDX-License-Identifier: Apache-2.0
#include "alx/files/lines_in_text.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

std::vector<std::string_view> tokens_of(std::string_view line)
{
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> tokens;
    for (std::size_t begin = line.find_first_not_of(blanks); begin != line.npos;) {
        const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
        tokens.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return tokens;
}

} // namespace

std::vector<TextLine> lines_in(std::string_view text, bool whole)
{
    std::vector<TextLine> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == text.npos && !whole) {
            break;
        }
        TextLine line{text.substr(0, end), {}, false};
        line.tokens = tokens_of(line.text);
        line.comment = !line.tokens.empty() &&
                       (line.tokens[0].front() == '#' || line.tokens[0].front() == '%');
        lines.push_back(std::move(line));
        text.remove_prefix(std::min(end, text.size() - 1) + 1);
    }
    return lines;
}

} // namespace alxsim::alx
