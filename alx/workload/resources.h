// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/resource.h"

namespace alxsim::alx {

/// The JSON Schemas of the works that compute numbers.
const Resources& resources();

} // namespace alxsim::alx
