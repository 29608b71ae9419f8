// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alxsim::model {

/// Numbers that only the data tells: how often device i iterates a repeat, under the repeat's
/// counter.
using Counts = std::map<std::string, std::vector<std::int64_t>>;

} // namespace alxsim::model
