// SPDX-License-Identifier: Apache-2.0
#include "base/schema/json_schema.h"
#include "experiments/answers/advise/advice.h"

namespace alxsim::experiments {

const Json& advice_schema()
{
    static const Json schema = json_schema::document_of<Advice>("What alxsim advise --json prints");
    return schema;
}

} // namespace alxsim::experiments
