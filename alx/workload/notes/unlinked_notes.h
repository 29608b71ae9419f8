// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "alx/config.h"
#include "alx/data/split.h"
#include "alx/device_mesh.h"

#include <string>
#include <vector>

namespace alxsim::alx {

/// How many of the data's ids have no links, and what became of them; of the released code, which
/// counts them, what they weigh in regularizer, Gramian and memory. Nothing where all have some.
std::vector<std::string> unlinked_notes(const Dataset& data, const AlxConfig& config,
                                        const DeviceMesh& mesh);

} // namespace alxsim::alx
