// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/shape.h"
#include "workloads/import/hlo/text/text_cursor.h"

#include <string>

namespace alxsim::hlo {

/// Reads one shape from where the cursor stands: f32[8,128]{1,0:T(8,128)(2,1)S(1)E(4)}, or a tuple
/// in parentheses. What follows ":" may stand in any order. Throws InputError with line and column.
Shape read_shape(TextCursor& cursor);

/// The same of a text that is a shape and nothing else.
Shape shape_of(std::string_view text, const std::string& file = "shape");

} // namespace alxsim::hlo
