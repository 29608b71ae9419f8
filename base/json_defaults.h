// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

namespace alxsim {

/// A document that obeys a JSON Schema, with its fields in the schema's order and what it leaves
/// out filled in from the schema's `default`s, section by section: two documents that mean the same
/// are then equal. Fields that the schema does not name come last, as they are. `default_unless`
/// beside a default names a field, or several, of the same object beside which it does not hold.
Json with_defaults(const Json& document, const Json& schema);

} // namespace alxsim
