// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace alxsim {

/// Keeps the order of keys, so that what we write reads in the order we thought of.
using Json = nlohmann::ordered_json;

/// Parses JSON text (comments allowed). Throws InputError naming `file`, line and column.
Json parse_json(std::string_view text, const std::string& file);

/// Reads and parses a JSON file. Throws InputError when it is missing, unreadable or malformed.
Json load_json(const std::string& path);

/// Holds `document` against a JSON Schema (draft 7). Throws InputError naming `file`, the JSON
/// pointer, what was found and what the schema allows there; a misspelt field is told the nearest
/// right one.
void validate_json(const Json& document, std::string_view schema, const std::string& file);

/// Writes text to `path` whole or not at all (temporary file in the same folder, then rename).
/// Throws std::runtime_error when the file cannot be written.
void write_file_atomically(const std::string& path, std::string_view text);
/// The same of what `write` writes.
void write_file_atomically(const std::string& path,
                           const std::function<void(std::ostream&)>& write);

} // namespace alxsim
