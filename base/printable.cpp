// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <algorithm>

namespace alxsim {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place)
{
    return place < text.size() ? static_cast<unsigned char>(text[place]) : 0;
}

/// Bytes of the character that begins at `begin`, by table 3-7 of the Unicode standard; 0 for what
/// is no UTF-8.
std::size_t length_of_character(std::string_view text, std::size_t begin)
{
    const unsigned first = byte_at(text, begin);
    const unsigned second = byte_at(text, begin + 1);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                               : (first & 0xf0) == 0xe0         ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    if (length == 0 || overlong || outside) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, begin + i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

/// C0 and C1 control characters and DEL, but no line end and tab.
bool is_control(std::string_view character)
{
    const unsigned first = byte_at(character, 0);
    const bool c1 = first == 0xc2 && character.size() == 2 && byte_at(character, 1) < 0xa0;
    return c1 || first == 0x7f || (first < 0x20 && first != '\n' && first != '\t');
}

std::string escaped(std::string_view bytes)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    }
    return text;
}

} // namespace

std::string printable(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = length_of_character(text, i);
        const std::string_view character = text.substr(i, std::max<std::size_t>(1, length));
        if (length == 0 || is_control(character)) {
            result += escaped(character);
        } else {
            result += character;
        }
        i += character.size();
    }
    return result;
}

bool is_utf8(std::string_view text)
{
    for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
        length = length_of_character(text, i);
        if (length == 0) {
            return false;
        }
    }
    return true;
}

} // namespace alxsim
