// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::transformer {

/// The JSON Schema of a study's /workload/transformer, and the program's documentation.
const Resources& resources();

} // namespace alxsim::transformer
