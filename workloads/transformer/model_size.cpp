// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_size.h"

#include "workloads/transformer/parameters/parameters.h"

namespace alxsim::transformer {

std::int64_t ModelSize::parameters() const
{
    std::int64_t all = 0;
    for (const ParameterSpec& spec : parameter_specs(*this)) {
        const bool of_tokens = spec.role == ParameterRole::token_table;
        all +=
            (spec.elements() - (of_tokens ? padding * hidden : 0)) * (spec.of_layer ? layers : 1);
    }
    return all;
}

std::int64_t ModelSize::active_parameters() const
{
    const std::int64_t idle = experts.exist() ? experts.count - experts.per_token : 0;
    return parameters() - layers * idle * (hidden * fc1_width() + inner_width() * hidden);
}

} // namespace alxsim::transformer
