// SPDX-License-Identifier: Apache-2.0
#include "alx/files/line_reader.h"

#include "base/input_error.h"

namespace alxsim::alx {
namespace {

constexpr std::size_t line_piece_bytes = 1 << 20;

template <class Parts>
std::string_view cut_token(std::string_view& text, const Parts& parts)
{
    std::size_t begin = 0;
    while (begin < text.size() && parts(text[begin])) {
        ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && !parts(text[end])) {
        ++end;
    }
    const std::string_view token = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return token;
}

} // namespace

LineReader::LineReader(const std::string& path) : source_(path, [this] { return end_place(); }) {}

std::string_view LineReader::beginning()
{
    begin();
    return std::string_view(text_).substr(begin_);
}

void LineReader::begin()
{
    if (begun_) {
        return;
    }
    begun_ = true;
    fill();
    if (text_.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
        begin_ = byte_order_mark.size();
    }
    const bool old_ends =
        text_.find('\n') == std::string::npos && text_.find('\r') != std::string::npos;
    line_end_ = old_ends ? '\r' : '\n';
}

bool LineReader::next(std::string_view& line)
{
    begin();
    std::size_t found = text_.find(line_end_, begin_);
    for (std::size_t searched = text_.size() - begin_; found == std::string::npos && fill();) {
        found = text_.find(line_end_, searched);
        searched = text_.size();
    }
    if (found == std::string::npos && begin_ == text_.size()) {
        return false;
    }
    const std::size_t end = std::min(found, text_.size());
    line = std::string_view(text_).substr(begin_, end - begin_);
    begin_ = std::min(end + 1, text_.size());
    if (line_end_ == '\n' && !line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    ++line_number_;
    return true;
}

/// Appends the next piece of the file. False at its end.
bool LineReader::fill()
{
    text_.erase(0, begin_);
    begin_ = 0;
    const std::size_t kept = text_.size();
    text_.resize(kept + line_piece_bytes);
    const std::size_t read = source_.read(&text_[kept], line_piece_bytes);
    text_.resize(kept + read);
    const std::size_t zero = text_.find('\0', kept);
    if (zero != std::string::npos) { // /dev/zero has no line end either
        throw InputError(source_.path(), end_place(),
                         "found a byte 0, which no text holds; allowed are lines of text");
    }
    return read > 0;
}

std::string_view next_token(std::string_view& text, std::string_view separators)
{
    if (separators == usual_blanks) {
        return cut_token(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    }
    return cut_token(text, [separators](char c) { // without a call for each letter
        return std::any_of(separators.begin(), separators.end(),
                           [c](char separator) { return separator == c; });
    });
}

std::string shown(std::string_view token)
{
    constexpr std::size_t longest = 40;
    std::string text = "'";
    for (const char c : token.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        constexpr const char* digits = "0123456789abcdef";
        text += byte < 0x20 || byte == 0x7f
                    ? std::string("\\x") + digits[byte >> 4] + digits[byte & 15]
                    : std::string(1, c);
    }
    return text + (token.size() > longest ? "...'" : "'");
}

} // namespace alxsim::alx
