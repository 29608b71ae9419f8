// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/text_cursor.h"

#include "base/input_error.h"

#include <algorithm>
#include <limits>

namespace alxsim::hlo {
namespace {

bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

bool is_word(char character)
{
    return is_digit(character) || (character >= 'a' && character <= 'z') ||
           (character >= 'A' && character <= 'Z') || character == '_' || character == '-';
}

bool is_of_name(char character)
{
    return is_word(character) || character == '.' || character == '$' || character == ':' ||
           character == '/' || character == '#' || character == '@';
}

/// '\0' for what opens nothing.
char closing_of(char opening)
{
    switch (opening) {
    case '(':
        return ')';
    case '[':
        return ']';
    case '{':
        return '}';
    default:
        return '\0';
    }
}

bool closes(char character)
{
    return character == ')' || character == ']' || character == '}';
}

} // namespace

void TextCursor::skip_comment()
{
    const std::size_t end = text_.find("*/", position_ + 2);
    if (end == std::string_view::npos) {
        refuse(position_, "found a comment without an end; allowed: /* ... */");
    }
    position_ = end + 2;
}

void TextCursor::skip_spaces()
{
    while (!at_end()) {
        if (at_comment()) {
            skip_comment();
        } else if (peek() == ' ' || peek() == '\t' || peek() == '\r') {
            ++position_;
        } else {
            return;
        }
    }
}

void TextCursor::skip_blank_lines()
{
    for (skip_spaces(); peek() == '\n' || begins("//"); skip_spaces()) {
        position_ = std::min(text_.find('\n', position_), text_.size() - 1) + 1;
    }
}

bool TextCursor::take(char character)
{
    if (peek() != character || at_end()) {
        return false;
    }
    ++position_;
    return true;
}

bool TextCursor::take(std::string_view word)
{
    if (!begins(word)) {
        return false;
    }
    position_ += word.size();
    return true;
}

void TextCursor::expect(char character, const char* where)
{
    if (!take(character)) {
        fail(std::string("'") + character + "' " + where);
    }
}

void TextCursor::end_line()
{
    skip_spaces();
    if (!at_end() && peek() != '\n') {
        fail("the end of the line");
    }
}

std::string_view TextCursor::name(const char* what)
{
    take('%');
    const std::size_t begin = position_;
    while (is_of_name(peek())) {
        ++position_;
    }
    if (position_ == begin) {
        fail(what);
    }
    return since(begin);
}

std::string_view TextCursor::word(const char* what)
{
    const std::size_t begin = position_;
    while (is_word(peek())) {
        ++position_;
    }
    if (position_ == begin) {
        fail(what);
    }
    return since(begin);
}

std::int64_t TextCursor::number(const char* what)
{
    const std::size_t begin = position_;
    std::int64_t number = 0;
    for (; is_digit(peek()); ++position_) {
        const int digit = peek() - '0';
        if (number > (std::numeric_limits<std::int64_t>::max() - digit) / 10) {
            fail_at(begin, std::string(what) + " up to 2^63 - 1");
        }
        number = 10 * number + digit;
    }
    if (position_ == begin) {
        fail(what);
    }
    return number;
}

void TextCursor::skip_quoted()
{
    const std::size_t begin = position_++;
    while (!at_end() && peek() != '"') {
        position_ += peek() == '\\' ? 2 : 1;
    }
    if (at_end()) {
        position_ = text_.size();
        refuse(begin, "found a string without an end; allowed: \"...\"");
    }
    ++position_;
}

std::string_view TextCursor::quoted(const char* what)
{
    if (peek() != '"') {
        fail(what);
    }
    const std::size_t begin = position_;
    skip_quoted();
    return text_.substr(begin + 1, position_ - begin - 2);
}

void TextCursor::skip_nested()
{
    std::string open; // as a stack
    const std::size_t begin = position_;
    do {
        const char character = peek();
        if (at_end()) {
            refuse(begin, std::string("found '") + text_[begin] +
                              "', which nothing closes; allowed: '" + closing_of(text_[begin]) +
                              "' behind it");
        }
        if (character == '"') {
            skip_quoted();
        } else if (character == '/' && at_comment()) {
            skip_comment();
        } else {
            if (const char closing = closing_of(character)) {
                open.push_back(closing);
            } else if (closes(character)) {
                if (character != open.back()) {
                    fail(std::string("'") + open.back() + "'");
                }
                open.pop_back();
            }
            ++position_;
        }
    } while (!open.empty());
}

std::string_view TextCursor::up_to_closing(char opening)
{
    const std::size_t begin = position_;
    --position_;
    if (peek() != opening) {
        throw std::logic_error("the cursor is not behind an opening bracket");
    }
    skip_nested();
    return text_.substr(begin, position_ - begin - 1);
}

std::string_view TextCursor::value(const char* what)
{
    const std::size_t begin = position_;
    while (!at_end()) {
        const char character = peek();
        if (character == '"') {
            skip_quoted();
        } else if (closing_of(character) != '\0') {
            skip_nested();
        } else if (character == '\n' || closes(character)) {
            break;
        } else if (character == ',') {
            // What JAX's parser takes for the next attribute (jax issue 39659).
            const std::size_t next =
                std::min(text_.find_first_not_of(' ', position_ + 1), text_.size());
            if (text_.compare(next, 12, "device_ids=(") != 0) {
                break;
            }
            position_ = next;
        } else if (character == '/' && at_comment()) {
            skip_comment();
        } else {
            ++position_;
        }
    }
    std::string_view found = since(begin);
    while (!found.empty() &&
           (found.back() == ' ' || found.back() == '\r' || found.back() == '\t')) {
        found.remove_suffix(1);
    }
    if (found.empty()) {
        fail(what);
    }
    return found;
}

void TextCursor::fail_at(std::size_t position, const std::string& allowed) const
{
    constexpr std::size_t shown = 24;
    std::string_view rest = text_.substr(std::min(position, text_.size()));
    rest = rest.substr(0, rest.find('\n'));
    const std::string found = position >= text_.size() ? "the end of the text"
                              : rest.empty()           ? "the end of the line"
                              : rest.size() <= shown
                                  ? "'" + std::string(rest) + "'"
                                  : "'" + std::string(rest.substr(0, shown)) + "...'";
    refuse(position, "found " + found + "; allowed: " + allowed);
}

void TextCursor::refuse(std::size_t position, const std::string& problem) const
{
    throw InputError(file_, place_in(text_, position), problem);
}

std::string place_in(std::string_view text, std::size_t position)
{
    const std::string_view before = text.substr(0, std::min(position, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_end = before.rfind('\n');
    const std::size_t column =
        before.size() - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

} // namespace alxsim::hlo
