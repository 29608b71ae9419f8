// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <string>
#include <vector>

namespace alxsim::tensor_network {

/// What `alxsim run` prints of `results`: "ranks (1, 3, 3, 3, 1), 192 numbers for 4096, error
/// 0.00358"; an error above what was asked for; searches that found nothing.
std::vector<std::string> findings_of(const Json& results);

} // namespace alxsim::tensor_network
