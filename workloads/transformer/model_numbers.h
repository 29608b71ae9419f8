// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "workloads/transformer/steps/built_step.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// A model with its numbers on all devices: parameters, gradients, Adam's state.
class ModelNumbers {
public:
    /// Parameters as the seed and the streams 1, 2, ... of all_parameters() determine them. What
    /// collectives move is counted in `moved`, if there is one; it outlives this.
    explicit ModelNumbers(const TransformerConfig& config, MovedCounts* moved = nullptr);
    ModelNumbers(const ModelNumbers&) = delete;
    ModelNumbers& operator=(const ModelNumbers&) = delete;

    /// One step on these tokens; `number` is counted from 1. Returns the mean loss before it.
    double train(int number, const StepTokens& tokens, HostPool& pool);

    /// The same without the optimizer: gradients are there, and parameters as they were.
    double differentiate(int number, const StepTokens& tokens, HostPool& pool);

    const std::vector<ParameterOf>& parameters() const { return parameters_; }
    const Layout& layout() const { return step_->layout(); }
    /// Put together from the devices that have its parts, [rows x columns].
    std::vector<double> value(const ParameterOf& of) const
    {
        return step_->read(numbers_, of, ParameterArrays::What::value);
    }
    std::vector<double> gradient(const ParameterOf& of) const
    {
        return step_->read(numbers_, of, ParameterArrays::What::gradient);
    }
    void set(const ParameterOf& of, const std::vector<double>& whole)
    {
        step_->write(numbers_, of, whole);
    }
    const std::vector<CollectiveUse>& collectives() const { return step_->timed().collectives; }

    /// Everything that a step leaves for the next: as it stands on the devices.
    std::vector<spmd::MemoryPart> memory() { return numbers_.memory(step_->kept_arrays()); }

private:
    double run(const model::OpGraph& graph, int number, const StepTokens& tokens, HostPool& pool);

    Numbers numbers_;
    std::vector<ParameterSpec> specs_;
    std::unique_ptr<BuiltStep> step_;
    std::vector<ParameterOf> parameters_;
    std::shared_ptr<const model::OpGraph> without_optimizer_; ///< made when it is first needed
};

} // namespace alxsim::transformer
