// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/op_graph.h"

#include <string>

namespace alxsim::model {

/// A collective's fields of an op that the schema has passed. `place` is the op's JSON pointer.
/// Throws InputError at a field for axes or ranks named twice, for groups of unequal size, for
/// messages where the kind has none, and for a permute that sends or receives twice.
Collective collective_from_json(const Json& json, const std::string& file,
                                const std::string& place);

/// With `work`; what is as usual is left out.
Json to_json(const Collective& collective);

/// As an op graph and a report have it: "all_reduce".
std::string name_of(CollectiveKind kind);

} // namespace alxsim::model
