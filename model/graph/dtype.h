// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace alxsim::model {

enum class DType { bf16, f32, f64, i32, i8, i4, fp8_e4m3, fp8_e5m2, fp4 };
/// Half a byte where two numbers share one.
double bytes_of(DType dtype);
/// Whole: 1 byte of those, too.
Bytes size_of(DType dtype);

} // namespace alxsim::model
