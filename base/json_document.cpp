// SPDX-License-Identifier: Apache-2.0
#include "base/json_document.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "base/text/edit_distance.h"

// valijson's adapter names nlohmann::json; ours is its ordered sibling, which has the same members.
#define json ordered_json
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#undef json
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace alxsim {
namespace {

/// "number 3", "null"
std::string in_words(const Json& value)
{
    const std::string text = value.dump();
    return (value.is_null() ? "" : std::string(value.type_name()) + " ") +
           (text.size() <= 60 ? text : text.substr(0, 57) + "...");
}

/// valijson writes a place as "<root>", "[machine]", "[cores]"; we write "/machine/cores".
Json::json_pointer pointer_of(const std::vector<std::string>& context)
{
    Json::json_pointer pointer;
    for (const std::string& part : context) {
        if (part.size() >= 2 && part.front() == '[') {
            pointer /= part.substr(1, part.size() - 2);
        }
    }
    return pointer;
}

/// The part of a JSON Schema that speaks about one place in a document.
class SchemaGuide {
public:
    explicit SchemaGuide(const Json& schema) : schema_(schema) {}

    /// The schema nodes that apply at `pointer` (several where the schema says anyOf or oneOf).
    std::vector<const Json*> at(const Json::json_pointer& pointer) const
    {
        std::vector<std::string> parts;
        for (Json::json_pointer rest = pointer; !rest.empty(); rest.pop_back()) {
            parts.insert(parts.begin(), rest.back());
        }
        std::vector<const Json*> nodes = alternatives(schema_);
        for (const std::string& part : parts) {
            std::vector<const Json*> next;
            for (const Json* node : nodes) {
                if (const Json* child = child_of(*node, part)) {
                    const std::vector<const Json*> found = alternatives(*child);
                    next.insert(next.end(), found.begin(), found.end());
                }
            }
            nodes = next;
        }
        return nodes;
    }

    static std::string describe(const Json& node)
    {
        if (node.contains("const")) {
            return node.at("const").dump();
        }
        if (node.contains("enum")) {
            std::vector<std::string> words;
            for (const Json& value : node.at("enum")) {
                words.push_back(value.dump());
            }
            return "one of " + join(words);
        }
        if (node.contains("allowed_in_words")) { // a keyword of our own, for what no pattern shows
            return node.at("allowed_in_words").get<std::string>();
        }
        if (is_number_or_text(node)) {
            return describe_number(node) + ", or string such as " +
                   node.at("examples").at(0).dump();
        }
        std::string text = "anything";
        if (node.contains("type")) {
            text = node.at("type").is_string() ? node.at("type").get<std::string>()
                                               : node.at("type").dump();
        }
        static const std::pair<const char*, const char*> limits[] = {
            {"minimum", " >= "},
            {"exclusiveMinimum", " > "},
            {"maximum", " <= "},
            {"exclusiveMaximum", " < "},
            {"examples", " such as "},
            {"pattern", " like "},
            {"minItems", " with length >= "},
            {"maxItems", " with length <= "}};
        for (const auto& [key, words] : limits) {
            const bool shown_otherwise = std::string(key) == "pattern" && node.contains("examples");
            if (node.contains(key) && !shown_otherwise) {
                const Json& value = node.at(key);
                text += words + (value.is_array() ? value.at(0) : value).dump();
            }
        }
        return text;
    }

private:
    /// Whether the schema takes a number within limits, or a text of which it has examples.
    static bool is_number_or_text(const Json& node)
    {
        return node.contains("examples") && node.contains("type") && node.at("type").is_array() &&
               node.at("type").size() == 2 && node.at("type").at(1) == "string";
    }

    static std::string describe_number(Json node)
    {
        node["type"] = node.at("type").at(0);
        node.erase("examples");
        node.erase("pattern");
        return describe(node);
    }

    std::vector<const Json*> alternatives(const Json& node) const
    {
        if (node.contains("$ref")) {
            const std::string reference = node.at("$ref").get<std::string>();
            return alternatives(schema_.at(Json::json_pointer(reference.substr(1))));
        }
        for (const char* key : {"anyOf", "oneOf"}) {
            if (node.contains(key) && !node.contains("properties")) {
                std::vector<const Json*> all;
                for (const Json& child : node.at(key)) {
                    const std::vector<const Json*> found = alternatives(child);
                    all.insert(all.end(), found.begin(), found.end());
                }
                return all;
            }
        }
        return {&node};
    }

    static const Json* child_of(const Json& node, const std::string& part)
    {
        if (node.contains("properties") && node.at("properties").contains(part)) {
            return &node.at("properties").at(part);
        }
        if (node.contains("items") && node.at("items").is_object()) {
            return &node.at("items");
        }
        if (node.contains("additionalProperties") && node.at("additionalProperties").is_object()) {
            return &node.at("additionalProperties");
        }
        return nullptr;
    }

    const Json& schema_;
};

/// In small letters without '_', '-' and blanks, which people write otherwise.
std::string plain(const std::string& word)
{
    std::string letters;
    for (const char letter : word) {
        if (letter != '_' && letter != '-' && letter != ' ') {
            letters +=
                letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
    }
    return letters;
}

/// Says "; did you mean 'rows'?" of a word that a schema's own keyword `hints` has: what people
/// write elsewhere, as plain() makes it, and what it is called here. "" for others.
std::string hint_for(const std::string& word, const Json& node)
{
    return node.contains("hints") && node.at("hints").contains(plain(word))
               ? "; did you mean '" + node.at("hints").at(plain(word)).get<std::string>() + "'?"
               : "";
}

/// Finds the text of an enum that a value means: it is spelt otherwise, is its beginning, or
/// differs in a third of its letters at most. "" where none is so near.
std::string nearest_value(const std::string& found, const Json& node)
{
    const std::string word = plain(found);
    std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string best;
    for (const Json& value : node.value("enum", Json::array())) {
        const std::string known = value.is_string() ? plain(value.get<std::string>()) : "";
        const bool begins = word.size() > 2 && known.rfind(word, 0) == 0;
        const std::size_t distance = word == known ? 0 : begins ? 1 : edit_distance(word, known);
        if (!known.empty() && distance < best_distance) {
            best_distance = distance;
            best = value.get<std::string>();
        }
    }
    return best;
}

/// Says what a text means that a schema does not allow, as hint_for() does.
std::string hint_for_value(const Json& found, const Json& node)
{
    if (!found.is_string()) {
        return "";
    }
    const std::string hint = hint_for(found.get<std::string>(), node);
    const std::string nearest = nearest_value(found.get<std::string>(), node);
    return hint.empty() && !nearest.empty() ? "; did you mean '" + nearest + "'?" : hint;
}

/// A field that is missing, with what it is for if the schema says so.
std::string missing_field(const std::string& key, const Json& node)
{
    const Json field = node.at("properties").value(key, Json::object());
    std::string description = field.value("description", "");
    if (!description.empty() && description.back() == '.') {
        description.pop_back();
    }
    return "missing field '" + key + "'" + (description.empty() ? "" : ": " + description);
}

std::string unknown_or_missing_field(const Json& found, const Json& node)
{
    if (!found.is_object() || !node.contains("properties")) {
        return "";
    }
    std::vector<std::string> allowed;
    for (const auto& [key, value] : node.at("properties").items()) {
        allowed.push_back(key);
    }
    const bool closed =
        node.contains("additionalProperties") && node.at("additionalProperties") == false;
    for (const auto& [key, value] : found.items()) {
        if (closed && !node.at("properties").contains(key)) {
            const std::string hint = hint_for(key, node);
            return "unknown field '" + key + "'" +
                   (hint.empty() ? did_you_mean(key, allowed) : hint) +
                   " (allowed: " + join(allowed) + ")";
        }
    }
    for (const Json* needed : {&node, node.contains("then") ? &node.at("then") : &node}) {
        for (const Json& key : needed->value("required", Json::array())) {
            if (!found.contains(key.get<std::string>())) {
                return missing_field(key.get<std::string>(), node);
            }
        }
    }
    return "";
}

std::string explain(const Json& found, const std::vector<const Json*>& nodes,
                    const std::string& fallback)
{
    std::vector<std::string> allowed;
    std::string field_problem;
    std::string hint;
    for (const Json* node : nodes) {
        hint = hint.empty() ? hint_for_value(found, *node) : hint;
        const std::string problem = unknown_or_missing_field(found, *node);
        field_problem = field_problem.empty() ? problem : field_problem;
        allowed.push_back(SchemaGuide::describe(*node));
    }
    if (!field_problem.empty()) {
        return field_problem;
    }
    if (found.is_object() && !nodes.empty() && nodes.front()->contains("oneOf")) {
        return fallback;
    }
    return "found " + in_words(found) + hint +
           "; allowed: " + (allowed.empty() ? "nothing" : join(allowed, " | "));
}

struct ParsedSchema {
    explicit ParsedSchema(std::string_view text) : document(Json::parse(text))
    {
        valijson::SchemaParser(valijson::SchemaParser::kDraft7)
            .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema);
    }

    Json document;
    valijson::Schema schema;
};

/// Whether a whole number is beyond those of 64 bits with a sign.
bool is_beyond_signed(const Json& node)
{
    return node.is_number_unsigned() &&
           node.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

bool any_beyond_signed(const Json& node)
{
    return is_beyond_signed(node) ||
           (node.is_structured() && std::any_of(node.begin(), node.end(), any_beyond_signed));
}

void make_large_numbers_real(Json& node)
{
    if (is_beyond_signed(node)) {
        node = static_cast<double>(node.get<std::uint64_t>());
    } else if (node.is_structured()) {
        std::for_each(node.begin(), node.end(), make_large_numbers_real);
    }
}

void validate(const Json& document, std::string_view schema, const std::string& file)
{
    static Memo<std::string, std::shared_ptr<const ParsedSchema>> known; // a program has few
    const std::shared_ptr<const ParsedSchema> parsed = known.get(
        std::string(schema), [&] { return std::make_shared<const ParsedSchema>(schema); });
    valijson::ValidationResults results;
    if (valijson::Validator().validate(
            parsed->schema, valijson::adapters::NlohmannJsonAdapter(document), &results)) {
        return;
    }
    // The deepest complaint is the cause; the others only say that their part holds it.
    valijson::ValidationResults::Error cause;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
        if (error.context.size() > cause.context.size()) {
            cause = error;
        }
    }
    const Json::json_pointer pointer = pointer_of(cause.context);
    const std::string place = pointer.empty() ? "top level" : pointer.to_string();
    throw InputError(file, place,
                     explain(document.at(pointer), SchemaGuide(parsed->document).at(pointer),
                             cause.description));
}

} // namespace

void validate_json(const Json& document, std::string_view schema, const std::string& file)
{
    if (!any_beyond_signed(document)) {
        validate(document, schema, file);
        return;
    }
    Json readable = document; // the validator takes such numbers for negative ones
    make_large_numbers_real(readable);
    validate(readable, schema, file);
}

Json with_whole_numbers(Json document)
{
    constexpr double most = 9007199254740992.0; // 2^53, up to which doubles are exact
    if (document.is_number_float()) {
        const auto number = document.get<double>();
        const bool whole = std::abs(number) <= most && number == std::floor(number);
        return whole ? Json(static_cast<std::int64_t>(number)) : document;
    }
    if (document.is_structured()) {
        for (Json& child : document) {
            child = with_whole_numbers(std::move(child));
        }
    }
    return document;
}

const Json& valid_json(const Json& document, std::string_view schema, const std::string& file,
                       Json& whole)
{
    try {
        validate_json(document, schema, file);
        return document;
    } catch (const InputError&) {
        whole = with_whole_numbers(document);
        validate_json(whole, schema, file);
        return whole;
    }
}

} // namespace alxsim
