// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <pybind11/pybind11.h>

namespace alxsim::python {

/// JSON of what Python has: None, bool, int, float, str, dict, list, tuple, and what counts as a
/// number (NumPy's). Throws TypeError for others, ValueError for what is nested too deeply.
Json json_of_object(const pybind11::handle& object);

/// dict, list, str, int, float, bool or None.
pybind11::object object_of_json(const Json& json);

} // namespace alxsim::python
