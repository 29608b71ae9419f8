// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/json_schema.h"
#include "report/point.h"

namespace alxsim {

/// The schema of a point is a reference to one of the definitions below.
template <>
struct json_schema::Of<report::Point> {
    static Json schema(const FieldLimits& limits, Use use);
};

namespace report {

/// The definitions of a schema in which points stand: "point", and its kinds.
Json point_definitions();

} // namespace report
} // namespace alxsim
