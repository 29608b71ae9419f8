// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"

#include <string>
#include <vector>

namespace alxsim::alx {

/// What readers of its times should know of a job whose tables stand below HBM.
std::vector<std::string> table_tier_notes(const AlxConfig& config);

} // namespace alxsim::alx
