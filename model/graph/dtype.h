// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace alxsim::model {

enum class DType { bf16, f32, f64, i32 };
Bytes size_of(DType dtype);

} // namespace alxsim::model
