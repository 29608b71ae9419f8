// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work_json.h"

#include <string>

namespace alxsim::model {

/// A collective's fields of an op that the schema has passed. Throws InputError at a field for axes
/// that neither torus nor mesh has, and for messages of two forms. What does not fit together is
/// found by check().
Collective collective_from_json(const Json& json, const JsonPlace& place);

/// With `work`; what is as usual is left out.
Json to_json(const Collective& collective);

/// As an op graph and a report have it: "all_reduce".
std::string name_of(CollectiveKind kind);

} // namespace alxsim::model
