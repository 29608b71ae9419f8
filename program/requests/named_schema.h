// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::program {

/// Names for named_schema().
std::vector<std::string> names_of_schemas();

struct SchemaLine {
    std::string name;
    std::string words; ///< what the schema is of
};

/// The same with words, what is read first.
std::vector<SchemaLine> listed_schemas();

/// The JSON Schema of what the program reads or writes, as `alxsim schema NAME` prints it: with an
/// $id of its own, by which a validator keeps versions apart. Throws std::out_of_range for a name
/// that is none.
Json named_schema(const std::string& name);

} // namespace alxsim::program
