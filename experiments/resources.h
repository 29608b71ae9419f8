// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::experiments {

/// The study's JSON Schema.
const Resources& resources();

} // namespace alxsim::experiments
