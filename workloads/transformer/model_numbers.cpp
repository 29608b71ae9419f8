// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/model_numbers.h"

#include "model/graph/effects.h"

#include <utility>

namespace alxsim::transformer {

ModelNumbers::ModelNumbers(const TransformerConfig& config, int devices, MovedCounts* moved)
    : numbers_(devices, config.dtype == model::DType::f64),
      step_(config, devices, &numbers_, moved),
      parameters_(all_parameters(step_.specs(), config.size.layers))
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

std::vector<double> ModelNumbers::put_together(const ParameterOf& of, Array array) const
{
    std::vector<double> whole;
    for (int device = 0; device < layout().parts(); ++device) {
        step_.cut().put_together(*of.spec, device, numbers_.read(array, device), whole);
    }
    return whole;
}

std::vector<double> ModelNumbers::value(const ParameterOf& of) const
{
    return put_together(of, step_.parameter(of).master);
}

std::vector<double> ModelNumbers::gradient(const ParameterOf& of) const
{
    return put_together(of, step_.parameter(of).weight.gradient);
}

void ModelNumbers::set(const ParameterOf& of, const std::vector<double>& whole)
{
    const Parameter& parameter = step_.parameter(of);
    for (int device = 0; device < numbers_.devices(); ++device) {
        const std::vector<double> shard = step_.cut().cut(*of.spec, device, whole);
        numbers_.write(parameter.master, device, shard);
        if (parameter.master.id != parameter.weight.value.id) {
            numbers_.write(parameter.weight.value, device, shard);
            numbers_.round_to_bf16({parameter.weight.value}, device);
        }
    }
}

std::vector<Array> ModelNumbers::kept_arrays() const
{
    std::vector<Array> arrays;
    for (const ParameterOf& of : parameters_) {
        const Parameter& parameter = step_.parameter(of);
        arrays.insert(arrays.end(), {parameter.master, parameter.mean, parameter.square});
        if (parameter.master.id != parameter.weight.value.id) {
            arrays.push_back(parameter.weight.value);
        }
    }
    return arrays;
}

} // namespace alxsim::transformer
