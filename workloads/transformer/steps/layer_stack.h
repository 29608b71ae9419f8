// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/blocks/step_parts.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::transformer {

/// The layers of a model, or of a part of it: weights that are gathered, and activations from the
/// host, come while the layer before computes; gradients are summed up, and activations go to the
/// host, while the next one does.
class LayerStack {
public:
    explicit LayerStack(StepParts& parts);

    /// From stream(0) to stream(layers()).
    void forward();
    /// dx: the gradient of stream(layers()), becomes that of stream(0).
    void backward(Array dx);

private:
    using Order = StepBuilder::Order;
    void layers(const std::string& name, Order order, const StepBuilder::OfLayer& body,
                const StepBuilder::OfLayer& drain);
    void forward_layer(std::int64_t layer);
    void backward_layer(std::int64_t layer, Array dx);

    StepParts& parts_;
    StepBuilder& builder_;
    AttentionBlock attention_;
    std::unique_ptr<FeedForward> feed_forward_;
};

} // namespace alxsim::transformer
