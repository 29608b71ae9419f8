// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::report {

/// The JSON Schema of a report, made of the types that are read and written (report_fields.h). It
/// knows all fields of this version, in the order in which they are written, and no others.
const Json& report_schema();

/// Fields that the schema does not know: a later program of the same version may write some.
enum class NewFields { refused, read_over };

/// Holds a report (read from `file`) against the schema. Throws InputError.
void validate_report(const Json& report, const std::string& file,
                     NewFields new_fields = NewFields::refused);

/// The same of one of its points, an object.
void validate_point(const Json& point, std::size_t number, const std::string& file,
                    NewFields new_fields = NewFields::refused);

} // namespace alxsim::report
