// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/check/checked.h"

#include "report/schema/point_schema.h"

namespace alxsim::experiments {

const Json& checked_schema()
{
    static const Json schema = [] {
        Json made = json_schema::document_of<Checked>("What alxsim check --json prints");
        made["definitions"] = report::point_definitions();
        return made;
    }();
    return schema;
}

} // namespace alxsim::experiments
