// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace alxsim::transformer {

/// What a step works on: tokens [sequences x sequence] of each device, in the rows of its logits.
struct StepTokens {
    std::vector<std::vector<std::int32_t>> inputs;  ///< [device][token]
    std::vector<std::vector<std::int32_t>> targets; ///< [device][token]: the one that follows
};

} // namespace alxsim::transformer
