// SPDX-License-Identifier: Apache-2.0
#include "base/schema/json_schema.h"
#include "experiments/answers/explain/explanation.h"

namespace alxsim::experiments {

const Json& explanation_schema()
{
    static const Json schema =
        json_schema::document_of<Explanation>("What alxsim explain --json prints");
    return schema;
}

} // namespace alxsim::experiments
