// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/step_parts.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// One training step: forward, backward, the sums of gradients, the optimizer. With numbers its ops
/// compute them; without, layers are repeats, for time and memory alone.
class TrainingStep {
public:
    explicit TrainingStep(const TransformerConfig& config, Numbers* numbers = nullptr,
                          MovedCounts* moved = nullptr);

    const std::shared_ptr<const model::OpGraph>& graph() const { return graph_; }
    const std::vector<CollectiveUse>& collectives() const { return collectives_; }
    const Layout& layout() const { return parts_.layout(); }
    const ParameterArrays& parameters() const { return parts_.parameters(); }
    /// What the next step reads: its tokens, and its number, counted from 1.
    StepTokens& tokens() { return parts_.sharding().step_tokens(); }
    void set_step(int step) { *step_ = step; }
    /// Where the mean loss of the last step stands, on all devices.
    Array loss() const { return ends_.loss(); }

private:
    void feed();
    void microbatch(std::int64_t number);
    void backward(std::int64_t microbatch);
    void forward_layer(std::int64_t layer);
    void backward_layer(std::int64_t layer);
    using Order = StepBuilder::Order;
    void layers(const std::string& name, Order order, const StepBuilder::OfLayer& body,
                const StepBuilder::OfLayer& drain);

    StepParts parts_;
    StepBuilder& builder_;
    AttentionBlock attention_;
    std::unique_ptr<FeedForward> feed_forward_;
    ModelEnds ends_;
    std::shared_ptr<int> step_ = std::make_shared<int>(1);
    std::shared_ptr<const model::OpGraph> graph_;
    std::vector<CollectiveUse> collectives_;
};

} // namespace alxsim::transformer
