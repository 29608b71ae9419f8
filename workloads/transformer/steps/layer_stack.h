// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/blocks/step_parts.h"

#include <cstdint>
#include <memory>
#include <string>

namespace alxsim::transformer {

/// The layers of a model, or of a part of it. Of weights that are gathered the first that a layer
/// uses comes while the layer before computes, as do activations from the host, the others as the
/// layer begins; a gradient is scattered beside what is computed after it, the last of a layer, and
/// sums over replicas, while the next layer's backward runs, as activations go to the host.
class LayerStack {
public:
    explicit LayerStack(StepParts& parts);

    /// From stream(0) to stream(layers()).
    void forward();
    /// dx: the gradient of stream(layers()), becomes that of stream(0).
    void backward(Array dx);

private:
    using Order = StepBuilder::Order;
    std::string first_used_backward() const;
    void forward_layer(std::int64_t layer);
    void backward_layer(std::int64_t layer, Array dx);

    StepParts& parts_;
    StepBuilder& builder_;
    AttentionBlock attention_;
    std::unique_ptr<FeedForward> feed_forward_;
};

} // namespace alxsim::transformer
