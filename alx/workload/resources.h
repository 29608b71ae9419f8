// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::alx {

/// The JSON Schemas of a study's workload and of the works that compute numbers.
const Resources& resources();

} // namespace alxsim::alx
