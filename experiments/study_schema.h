// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::experiments {

/// A study's JSON Schema, with the fields of all kinds of workload.
const std::string& study_schema();

} // namespace alxsim::experiments
