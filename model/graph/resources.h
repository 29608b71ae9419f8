// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::model {

/// The op graph's JSON Schema.
const Resources& resources();

} // namespace alxsim::model
