// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_numbers.h"

#include "model/graph/effects.h"
#include "model/graph/op_graph.h"

namespace alxsim::transformer {

ModelNumbers::ModelNumbers(const TransformerConfig& config, MovedCounts* moved)
    : numbers_(config.devices(), config.dtype == model::DType::f64),
      specs_(parameter_specs(config.size)),
      step_(build_step(config, &numbers_, moved)),
      parameters_(all_parameters(specs_, config.size.layers))
{
    std::uint64_t stream = 0;
    for (const ParameterOf& of : parameters_) {
        // With seed 1 the streams are 1, 2, ...
        set(of,
            initial_values(*of.spec, (config.seed - 1) * 65536 + ++stream, config.initial_stddev));
    }
}

double ModelNumbers::run(const model::OpGraph& graph, int number, const StepTokens& tokens,
                         HostPool& pool)
{
    step_->set_step(number);
    step_->set_tokens(tokens);
    model::run_effects(graph, numbers_.devices(), pool);
    return step_->loss(numbers_);
}

double ModelNumbers::train(int number, const StepTokens& tokens, HostPool& pool)
{
    return run(*step_->timed().graph, number, tokens, pool);
}

/// Runs one program, which ends with the optimizer.
double ModelNumbers::differentiate(int number, const StepTokens& tokens, HostPool& pool)
{
    if (without_optimizer_ == nullptr) {
        auto graph = std::make_shared<model::OpGraph>(*step_->timed().graph);
        while (!graph->ops.empty() && graph->ops.back().phase.text().rfind("optimizer", 0) == 0) {
            graph->ops.pop_back();
        }
        without_optimizer_ = graph;
    }
    return run(*without_optimizer_, number, tokens, pool);
}

} // namespace alxsim::transformer
