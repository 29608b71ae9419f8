// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/compare/compared.h"

#include "base/schema/json_schema.h"
#include "experiments/answers/compare/profile_comparison.h"

namespace alxsim::experiments {

const Json& compared_schema()
{
    static const Json schema{
        {"$schema", "http://json-schema.org/draft-07/schema#"},
        {"title", "What alxsim compare --json prints"},
        {"oneOf", {{{"$ref", "#/definitions/reports"}}, {{"$ref", "#/definitions/profiles"}}}},
        {"definitions",
         {{"reports", json_schema::described<Compared>("Of two reports.")},
          {"profiles", json_schema::described<ProfileComparison>(
                           "With --trace: of a simulated profile and a real one.")}}}};
    return schema;
}

} // namespace alxsim::experiments
