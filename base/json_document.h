// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace alxsim {

/// Keeps the order of keys, so that what we write reads in the order we thought of.
using Json = nlohmann::ordered_json;

/// Parses JSON text (comments allowed). Throws InputError naming `file`, line and column, also of
/// what is nested deeper than 256 objects and lists, and of a field that stands twice in its
/// object.
Json parse_json(std::string_view text, const std::string& file);

/// The same of what this program wrote, for itself to read. Throws Json::exception.
Json parse_written_json(std::string_view text);

/// The same of a value on the command line: what is no JSON is a string. Throws InputError where it
/// is nested too deeply.
Json parse_json_or_string(std::string_view text, const std::string& name);

/// Reads and parses a JSON file. Throws InputError when it is missing, unreadable, malformed or
/// larger than 1 GiB.
Json load_json(const std::string& path);

/// The same with numbers like 1e3 as integers where they are whole and exact, up to 2^53.
Json with_whole_numbers(Json document);

/// Holds `document` against a JSON Schema (draft 7). Throws InputError naming `file`, the JSON
/// pointer, what was found and what the schema allows there; a misspelt field is told the nearest
/// right one.
void validate_json(const Json& document, std::string_view schema, const std::string& file);

/// The same, but 6.4e1 counts as an integer: returns the document if it obeys the schema, else
/// with_whole_numbers() of it, which is kept in `whole`.
const Json& valid_json(const Json& document, std::string_view schema, const std::string& file,
                       Json& whole);

} // namespace alxsim
