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
    static const Json schema = json_schema::document_of<Inferred>("A result of alxsim infer");
    return schema;
}

} // namespace alxsim
