// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/work.h"
#include "workloads/transformer/math/activation.h"

namespace alxsim::transformer {

/// As they are written: gelu a tanh and seven others, its derivative fifteen; silu an exponential,
/// a division and two others, its derivative five more; relu a comparison. A gate multiplies once,
/// its backward twice.
model::Vector activation_work(const ActivationShape& shape, model::DType dtype, bool backward);

} // namespace alxsim::transformer
