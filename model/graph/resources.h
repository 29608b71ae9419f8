// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::model {

/// The op graph's JSON Schema and the TPU compiler's rules for collectives, embedded at build time.
const Resources& resources();

} // namespace alxsim::model
