// SPDX-License-Identifier: Apache-2.0
#include "base/file_input.h"
#include "base/input_error.h"
#include "base/json_document.h"
#include "base/json_fields.h"

#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace alxsim {
namespace {

/// What reads a document calls itself for each level.
constexpr int deepest = 256;
constexpr std::size_t longest_shown_text = 60;
constexpr std::int64_t largest_file = std::int64_t{1} << 30;

std::string line_and_column(std::string_view text, std::size_t byte)
{
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        const bool newline = text[i] == '\n';
        line += newline ? 1 : 0;
        column = newline ? 1 : column + 1;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Behind the comment or the string that begins at `begin`; the next character where none does.
std::size_t end_of_token(std::string_view text, std::size_t begin)
{
    const auto behind = [&](std::string_view end, std::size_t from) {
        const std::size_t found = text.find(end, from);
        return found == std::string_view::npos ? text.size() : found + end.size();
    };
    const std::string_view start = text.substr(begin, 2);
    if (start == "//" || start == "/*") {
        return behind(start == "//" ? "\n" : "*/", begin + 2);
    }
    if (text[begin] != '"') {
        return begin + 1;
    }
    std::size_t end = begin + 1;
    while (end < text.size() && text[end] != '"') {
        end += text[end] == '\\' ? 2 : 1;
    }
    return end + 1;
}

void refuse_deep_nesting(std::string_view text, const std::string& file)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); i = end_of_token(text, i)) {
        depth += text[i] == '[' || text[i] == '{' ? 1 : text[i] == ']' || text[i] == '}' ? -1 : 0;
        if (depth > deepest) {
            throw InputError(file, line_and_column(text, i + 1),
                             "is nested deeper than " + std::to_string(deepest) +
                                 " objects and lists, the most allowed");
        }
    }
}

/// The first field that stands twice in its object, as it is written; called where there is one.
[[noreturn]] void refuse_repeated_field(std::string_view text, const std::string& file)
{
    const auto is_name = [&](std::size_t end) {
        while (end < text.size() && text[end] != ':') {
            const bool comment = text[end] == '/';
            if (!comment && std::string_view(" \t\r\n").find(text[end]) == std::string_view::npos) {
                return false;
            }
            end = comment ? end_of_token(text, end) : end + 1;
        }
        return end < text.size();
    };
    std::vector<std::unordered_map<std::string_view, std::size_t>> open;
    std::size_t end = 0;
    for (std::size_t i = 0; i < text.size(); i = end) {
        end = end_of_token(text, i);
        if (text[i] == '{' || text[i] == '[') {
            open.emplace_back();
        } else if (text[i] == '}' || text[i] == ']') {
            open.pop_back();
        } else if (text[i] == '"' && is_name(end)) {
            const std::string_view name = text.substr(i, end - i);
            const auto [first, is_new] = open.back().emplace(name, i);
            if (!is_new) {
                throw InputError(file, line_and_column(text, i + 1),
                                 std::string(name) + " stands twice in its object, first at " +
                                     line_and_column(text, first->second + 1));
            }
        }
    }
    throw InputError(file, "", "a field stands twice in its object");
}

void refuse_unprintable(const std::string& text, const std::string& file,
                        const std::string& pointer)
{
    const std::string shown = printable(text);
    if (shown != text) {
        throw InputError(file, pointer.empty() ? "top level" : pointer,
                         "found control characters in '" + shown.substr(0, longest_shown_text) +
                             "', which a terminal would obey; allowed is text");
    }
}

/// Control characters in names of fields and in strings below `node`, to which `pointer` leads.
void refuse_control_characters(const Json& node, const std::string& file,
                               const std::string& pointer)
{
    if (node.is_string()) {
        refuse_unprintable(node.get_ref<const std::string&>(), file, pointer);
    }
    if (!node.is_structured()) {
        return;
    }
    for (const auto& [key, value] : node.items()) {
        if (node.is_object()) {
            refuse_unprintable(key, file, pointer);
        }
        if (value.is_structured() || value.is_string()) {
            refuse_control_characters(value, file, pointer + "/" + key);
        }
    }
}

/// Makes the document from what the parser meets. The library's own grows objects field by field,
/// and copies all that an object has each time.
class DocumentBuilder {
public:
    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(std::int64_t value) { return add(value); }
    bool number_unsigned(std::uint64_t value) { return add(value); }
    bool number_float(double value, const std::string& /*as written*/) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(Json::binary_t& value) { return add(std::move(value)); }
    bool key(std::string& name)
    {
        names_.push_back(std::move(name));
        return true;
    }
    bool start_object(std::size_t /*fields*/) { return start(); }
    bool start_array(std::size_t /*items*/) { return start(); }
    bool end_object()
    {
        const auto names = names_.end() - (values_.end() - first_inside());
        Json object(object_of(names, first_inside()));
        names_.erase(names, names_.end());
        return end(std::move(object));
    }
    bool end_array()
    {
        return end(Json(Json::array_t(std::make_move_iterator(first_inside()),
                                      std::make_move_iterator(values_.end()))));
    }
    template <class Exception>
    bool parse_error(std::size_t /*byte*/, const std::string& /*token*/, const Exception& error)
    {
        throw error;
    }

    Json whole() && { return std::move(values_.front()); }
    /// Whether an object has a field twice; the last one counts.
    bool repeats_a_field() const { return repeats_; }

private:
    template <class Value>
    bool add(Value&& value)
    {
        values_.emplace_back(std::forward<Value>(value));
        return true;
    }
    bool start()
    {
        begins_.push_back(static_cast<std::ptrdiff_t>(values_.size()));
        return true;
    }
    Json::array_t::iterator first_inside() { return values_.begin() + begins_.back(); }
    bool end(Json value)
    {
        values_.erase(first_inside(), values_.end());
        begins_.pop_back();
        return add(std::move(value));
    }

    /// Makes an object of the names and values from there on, which are moved from.
    Json::object_t object_of(std::vector<std::string>::iterator name, Json::array_t::iterator value)
    {
        const auto count = static_cast<std::size_t>(values_.end() - value);
        Json::object_t object;
        object.reserve(count);
        if (count <= fields_of_ours) {
            for (; value != values_.end(); ++value, ++name) {
                json_fields::add_field(object, std::move(*name), std::move(*value));
            }
            repeats_ = repeats_ || object.size() < count;
            return object;
        }
        std::unordered_map<std::string_view, Json*> places; // which stay where they are
        for (; value != values_.end(); ++value, ++name) {
            const auto known = places.find(*name);
            if (known != places.end()) {
                *known->second = std::move(*value);
            } else {
                object.push_back({std::move(*name), std::move(*value)});
                places.emplace(object.back().first, &object.back().second);
            }
        }
        repeats_ = repeats_ || object.size() < count;
        return object;
    }

    /// Objects of more are somebody else's, perhaps of a million: each is looked for by its hash.
    static constexpr std::size_t fields_of_ours = 64;

    Json::array_t values_;           ///< of all that is open
    std::vector<std::string> names_; ///< of those of its objects
    std::vector<std::ptrdiff_t> begins_;
    bool repeats_ = false;
};

/// Throws Json::exception.
Json built(std::string_view text, bool with_comments, bool& repeats_a_field)
{
    DocumentBuilder builder;
    Json::sax_parse(text, &builder, Json::input_format_t::json, true, with_comments);
    repeats_a_field = builder.repeats_a_field();
    return std::move(builder).whole();
}

Json parsed(std::string_view text, const std::string& file)
{
    try {
        bool repeats = false;
        Json document = built(text, true, repeats);
        if (repeats) {
            refuse_repeated_field(text, file);
        }
        return document;
    } catch (const Json::parse_error& error) {
        const std::string what = error.what();
        const std::size_t reason = what.find(": ");
        throw InputError(file, line_and_column(text, error.byte),
                         "not valid JSON: " +
                             (reason == std::string::npos ? what : what.substr(reason + 2)));
    } catch (const Json::out_of_range& error) {
        // No double holds a number, which is named between apostrophes; where it stands is not
        // said.
        const std::string what = error.what();
        const std::size_t begin = what.find('\'') + 1;
        const std::string number = what.substr(begin, what.rfind('\'') - begin);
        throw InputError(file, line_and_column(text, text.find(number) + 1),
                         "found " + number + "; allowed: numbers up to 1.8e308");
    }
}

} // namespace

Json parse_json(std::string_view text, const std::string& file)
{
    refuse_deep_nesting(text, file);
    Json document = parsed(text, file);
    refuse_control_characters(document, file, "");
    return document;
}

Json parse_written_json(std::string_view text)
{
    bool repeats = false;
    return built(text, false, repeats);
}

Json parse_json_or_string(std::string_view text, const std::string& name)
{
    refuse_deep_nesting(text, name);
    Json value;
    bool repeats = false;
    try {
        value = built(text, false, repeats);
    } catch (const Json::exception&) {
        value = text;
    }
    if (repeats) {
        refuse_repeated_field(text, name);
    }
    refuse_control_characters(value, name, "");
    return value;
}

Json load_json(const std::string& path)
{
    const std::string text = read_file(path, largest_file);
    if (text.empty()) {
        throw InputError(path, "", "is empty; allowed: a file with JSON in it");
    }
    return parse_json(text, path);
}

} // namespace alxsim
