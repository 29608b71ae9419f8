// SPDX-License-Identifier: Apache-2.0
#include "experiments/schema/inferred.h"

#include "base/schema/json_schema.h"

namespace alxsim {

namespace json_schema {

template <>
struct Of<experiments::UnknownValue> {
    static Json schema(const FieldLimits& /*limits*/, Use /*use*/)
    {
        return {{"type", {"number", "boolean"}}};
    }
};

} // namespace json_schema

const Json& experiments::inferred_schema()
{
    static const Json schema = [] {
        Json made{{"$schema", "http://json-schema.org/draft-07/schema#"},
                  {"title", "A result of alxsim infer"}};
        made.update(json_schema::of_type<Inferred>({}));
        return made;
    }();
    return schema;
}

} // namespace alxsim
