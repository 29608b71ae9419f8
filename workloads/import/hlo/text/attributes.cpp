// SPDX-License-Identifier: Apache-2.0
#include "workloads/import/hlo/text/attributes.h"

#include "base/input_error.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <charconv>
#include <cstring>

namespace alxsim::hlo {
namespace {

bool starts_number(std::string_view text, std::size_t i)
{
    return std::isdigit(static_cast<unsigned char>(text[i])) != 0 ||
           (text[i] == '-' && i + 1 < text.size() &&
            std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0);
}

/// From `begin`, up to a blank or comma outside of brackets and quotes.
std::string_view piece_from(std::string_view text, std::size_t begin)
{
    TextCursor cursor(text, "attribute", begin);
    while (!cursor.at_end() && std::strchr(" ,\n\t", cursor.peek()) == nullptr) {
        const char character = cursor.peek();
        if (character == '"') {
            cursor.quoted("a string");
        } else {
            cursor.advance(1);
            if (character == '{' || character == '[' || character == '(') {
                cursor.up_to_closing(character);
            }
        }
    }
    return cursor.since(begin);
}

} // namespace

std::optional<std::int64_t> whole_number(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::vector<std::int64_t> numbers_in(std::string_view text)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (starts_number(text, i)) {
            std::int64_t number = 0;
            const auto [end, error] =
                std::from_chars(text.data() + i, text.data() + text.size(), number);
            if (error != std::errc()) {
                break;
            }
            numbers.push_back(number);
            i = static_cast<std::size_t>(end - text.data()) - 1;
        }
    }
    return numbers;
}

std::string_view without_quotes(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        return text.substr(1, text.size() - 2);
    }
    return text;
}

std::vector<Attribute> fields_of(std::string_view braced)
{
    if (braced.size() >= 2 && braced.front() == '{' && braced.back() == '}') {
        braced = braced.substr(1, braced.size() - 2);
    }
    std::vector<Attribute> fields;
    for (std::size_t i = 0; i < braced.size();) {
        if (std::strchr(" ,\n\t", braced[i]) != nullptr) {
            ++i;
            continue;
        }
        std::string_view piece;
        try {
            piece = piece_from(braced, i);
        } catch (const InputError&) {
            break;
        }
        i += piece.size();
        const std::size_t equals = piece.find('=');
        fields.push_back({piece.substr(0, equals), equals == std::string_view::npos
                                                       ? std::string_view()
                                                       : piece.substr(equals + 1)});
    }
    return fields;
}

std::string_view json_member(std::string_view json, std::string_view name)
{
    const std::string key = "\"" + std::string(name) + "\":";
    const std::size_t found = json.find(key);
    if (found == std::string_view::npos) {
        return {};
    }
    std::size_t begin = found + key.size();
    while (begin < json.size() && json[begin] == ' ') {
        ++begin;
    }
    try {
        TextCursor cursor(json, "backend_config", begin);
        return cursor.value("a value");
    } catch (const InputError&) {
        return {};
    }
}

} // namespace alxsim::hlo
