// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_numbers.h"

#include "model/graph/effects.h"

#include <utility>

namespace alxsim::transformer {

ModelNumbers::ModelNumbers(const TransformerConfig& config, MovedCounts* moved)
    : numbers_(config.devices(), config.dtype == model::DType::f64),
      step_(config, &numbers_, moved),
      parameters_(all_parameters(step_.parameters().specs(), config.size.layers))
{
    std::uint64_t stream = 0;
    for (const ParameterOf& of : parameters_) {
        // Of seed 1 the streams are 1, 2, ...
        set(of,
            initial_values(*of.spec, (config.seed - 1) * 65536 + ++stream, config.initial_stddev));
    }
}

double ModelNumbers::train(int number, StepTokens tokens, HostPool& pool)
{
    step_.set_step(number);
    step_.tokens() = std::move(tokens);
    model::run_effects(*step_.graph(), numbers_.devices(), pool);
    return numbers_.read(step_.loss(), 0).front();
}

} // namespace alxsim::transformer
