// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace alxsim {

/// Keeps the order of keys, so that what we write reads in the order we thought of.
using Json = nlohmann::ordered_json;

/// Parses JSON text (comments allowed). Throws InputError naming `file`, line and column, also of
/// what is nested deeper than 256 objects and lists.
Json parse_json(std::string_view text, const std::string& file);

/// The same of a value on the command line: what is no JSON is a string. Throws InputError where it
/// is nested too deeply.
Json parse_json_or_string(std::string_view text, const std::string& name);

/// Reads and parses a JSON file. Throws InputError when it is missing, unreadable, malformed or
/// larger than 1 GiB.
Json load_json(const std::string& path);

/// Holds `document` against a JSON Schema (draft 7). Throws InputError naming `file`, the JSON
/// pointer, what was found and what the schema allows there; a misspelt field is told the nearest
/// right one.
void validate_json(const Json& document, std::string_view schema, const std::string& file);

} // namespace alxsim
