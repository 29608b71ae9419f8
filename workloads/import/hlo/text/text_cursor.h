// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace alxsim::hlo {

/// A place in a text, with the words that HLO is made of. All that reads moves on, and throws
/// InputError, which names file, line, column, what was found and what is allowed, where it does
/// not find what it should.
class TextCursor {
public:
    TextCursor(std::string_view text, std::string file, std::size_t position = 0)
        : text_(text),
          file_(std::move(file)),
          position_(position)
    {
    }

    bool at_end() const { return position_ >= text_.size(); }
    /// The next character, 0 at the end.
    char peek() const { return at_end() ? '\0' : text_[position_]; }
    bool begins(std::string_view word) const
    {
        return text_.compare(position_, word.size(), word) == 0;
    }
    std::size_t position() const { return position_; }
    std::string_view since(std::size_t begin) const
    {
        return text_.substr(begin, position_ - begin);
    }
    void advance(std::size_t characters) { position_ += characters; }

    void skip_spaces();      ///< blanks and comments
    void skip_blank_lines(); ///< the same with line ends
    bool take(char character);
    bool take(std::string_view word);
    /// `where` says what for: "after the dimensions".
    void expect(char character, const char* where);
    void end_line();

    std::string_view name(const char* what);   ///< with or without "%", which is left out
    std::string_view word(const char* what);   ///< letters, digits, "_" and "-"
    std::int64_t number(const char* what);     ///< of digits, up to 2^63 - 1
    std::string_view quoted(const char* what); ///< with its escapes, without its quotes
    /// Up to a comma or the end of the line outside of all brackets and quotes.
    std::string_view value(const char* what);
    /// Behind an opening bracket: what stands up to the closing one, which is passed.
    std::string_view up_to_closing(char opening);

    [[noreturn]] void fail(const std::string& allowed) const { fail_at(position_, allowed); }
    /// "found '...'; allowed: ...".
    [[noreturn]] void fail_at(std::size_t position, const std::string& allowed) const;
    /// With a sentence of its own.
    [[noreturn]] void refuse(std::size_t position, const std::string& problem) const;

private:
    void skip_quoted();
    void skip_comment();
    void skip_nested(); ///< from a bracket to behind the one that closes it
    bool at_comment() const { return begins("/*"); }

    std::string_view text_;
    std::string file_;
    std::size_t position_;
};

/// "line 3, column 14".
std::string place_in(std::string_view text, std::size_t position);

} // namespace alxsim::hlo
