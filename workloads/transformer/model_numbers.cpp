// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_numbers.h"

#include "model/graph/effects.h"

namespace alxsim::transformer {

ModelNumbers::ModelNumbers(const TransformerConfig& config, MovedCounts* moved)
    : numbers_(config.devices(), config.dtype == model::DType::f64),
      specs_(parameter_specs(config.size)),
      step_(build_step(config, &numbers_, moved)),
      parameters_(all_parameters(specs_, config.size.layers))
{
    std::uint64_t stream = 0;
    for (const ParameterOf& of : parameters_) {
        // Of seed 1 the streams are 1, 2, ...
        set(of,
            initial_values(*of.spec, (config.seed - 1) * 65536 + ++stream, config.initial_stddev));
    }
}

double ModelNumbers::train(int number, const StepTokens& tokens, HostPool& pool)
{
    step_->set_step(number);
    step_->set_tokens(tokens);
    model::run_effects(*step_->timed().graph, numbers_.devices(), pool);
    return step_->loss(numbers_);
}

} // namespace alxsim::transformer
