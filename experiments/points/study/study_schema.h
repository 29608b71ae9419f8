// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>

namespace alxsim::experiments {

/// The JSON Schema of a study: of what all have, and the fields of each kind of workload that is
/// registered when it is first asked for. Throws std::logic_error if there is none.
const std::string& study_schema();

/// A study, or a point of one, with its fields in the schema's order and what it leaves out filled
/// in; of the workload, the fields of the kind that it names, none if it names none (as a study
/// whose series do). Two that mean the same are then equal.
Json with_study_defaults(const Json& study);

/// Gives whole numbers of a schema that name no maximum that of an int, which is what counts are
/// kept in: a larger one is refused, not cut. The schema above is so bounded.
void bound_integers(Json& schema);

} // namespace alxsim::experiments
