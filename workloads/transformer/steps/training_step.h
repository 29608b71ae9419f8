// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/steps/built_step.h"
#include "workloads/transformer/steps/layer_stack.h"

#include <memory>
#include <vector>

namespace alxsim::transformer {

/// One training step: forward, backward, the sums of gradients, the optimizer. With numbers its ops
/// compute them; without, layers are repeats, for time and memory alone.
class TrainingStep : public BuiltStep {
public:
    explicit TrainingStep(const TransformerConfig& config, Numbers* numbers = nullptr,
                          MovedCounts* moved = nullptr);

    const std::shared_ptr<const model::OpGraph>& graph() const { return timed_.graph; }
    const std::vector<CollectiveUse>& collectives() const { return timed_.collectives; }
    const ParameterArrays& parameters() const { return parts_.parameters(); }

    const spmd::TimedStep& timed() const override { return timed_; }
    const Layout& layout() const override { return parts_.layout(); }
    void set_tokens(const StepTokens& tokens) override { parts_.sharding().step_tokens() = tokens; }
    void set_step(int step) override { *step_ = step; }
    /// On all devices.
    double loss(const Numbers& numbers) const override
    {
        return numbers.read(ends_.loss(), 0).front();
    }
    std::vector<double> read(const Numbers& numbers, const ParameterOf& of,
                             ParameterArrays::What what) const override
    {
        return parameters().read(numbers, of, what);
    }
    void write(Numbers& numbers, const ParameterOf& of,
               const std::vector<double>& whole) const override
    {
        parameters().write(numbers, of, whole);
    }
    std::vector<Array> kept_arrays() const override { return parameters().kept_arrays(); }

private:
    void microbatch(std::int64_t number);

    StepParts parts_;
    StepBuilder& builder_;
    LayerStack layers_;
    ModelEnds ends_;
    std::shared_ptr<int> step_ = std::make_shared<int>(1);
    spmd::TimedStep timed_;
};

} // namespace alxsim::transformer
