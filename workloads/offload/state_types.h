// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/dtype.h"
#include "workloads/transformer/config.h"

namespace alxsim::offload {

/// In what the numbers of a parameter are kept.
struct StateTypes {
    explicit StateTypes(const transformer::TransformerConfig& config);

    model::DType weight; ///< and its gradient
    model::DType master; ///< what the optimizer changes
    model::DType moment;
    int moments = 0; ///< of each parameter

    /// Whether weights are other numbers than those that the optimizer changes.
    bool has_copy() const { return weight != master; }
};

} // namespace alxsim::offload
