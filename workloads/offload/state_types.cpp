// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/state_types.h"

namespace alxsim::offload {

StateTypes::StateTypes(const transformer::TransformerConfig& config) : weight(config.dtype)
{
    const auto type = [&](transformer::StateType asked) {
        return asked == transformer::StateType::bf16 || config.dtype != model::DType::bf16
                   ? config.dtype
                   : model::DType::f32;
    };
    master = type(config.optimizer.master);
    moment = type(config.optimizer.moments);
    moments = config.optimizer.kind == transformer::OptimizerKind::adam ? 2 : 0;
}

} // namespace alxsim::offload
