// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/layer_stack.h"

namespace alxsim::transformer {

LayerStack::LayerStack(StepParts& parts)
    : parts_(parts),
      builder_(parts.builder()),
      attention_(parts),
      feed_forward_(parts.size().experts.exist() ? make_experts(parts) : make_mlp(parts))
{
}

void LayerStack::forward()
{
    builder_.begin({"forward", "layers"});
    StepBuilder::LayerParts layer = parts_.parameters().gathers_of_layers("qkv.w");
    if (parts_.config().recomputation.offloads_any()) {
        layer.drain = [this](std::int64_t of) {
            builder_.begin({"forward", "layers"});
            parts_.offload(of);
        };
    }
    layer.body = [this](std::int64_t of) { forward_layer(of); };
    builder_.layers_ahead("layers", "forward.layers", parts_.layers(), Order::up, layer);
}

void LayerStack::backward(Array dx)
{
    ParameterArrays& parameters = parts_.parameters();
    builder_.begin({"backward", "layers"});
    StepBuilder::LayerParts layer = parameters.gathers_of_layers(first_used_backward());
    if (parts_.config().recomputation.offloads_any()) {
        layer.fetch = [this, gather = layer.fetch](std::int64_t of) {
            builder_.begin({"backward", "layers"});
            if (gather) {
                gather(of);
            }
            parts_.bring_back(of);
        };
    }
    if (parameters.gathers() || parameters.sums_meanwhile()) {
        layer.drain = [&parameters, this](std::int64_t of) {
            builder_.begin({"backward", "layers"});
            parameters.scatter(ParameterArrays::last_gradient, of);
            if (parameters.sums_meanwhile()) {
                parameters.sum_replicas(of);
            }
        };
    }
    layer.body = [this, dx](std::int64_t of) { backward_layer(of, dx); };
    builder_.layers_ahead("layers backward", "backward.layers", parts_.layers(), Order::down,
                          layer);
}

/// Names the first of a layer's matrices, by what is computed again.
std::string LayerStack::first_used_backward() const
{
    const bool experts = parts_.size().experts.exist();
    if (parts_.computes(Activations::qkv, true)) {
        return "qkv.w";
    }
    if (parts_.computes(Activations::out_proj, true)) {
        return "proj.w";
    }
    if (parts_.computes(Activations::fc1, true)) {
        return experts ? "router.w" : "fc1.w";
    }
    return experts ? "experts.fc2.w" : "fc2.w";
}

void LayerStack::forward_layer(std::int64_t layer)
{
    builder_.begin({"forward", "layers"});
    attention_.forward(layer, false);
    feed_forward_->forward(layer, attention_.output(layer), false);
}

void LayerStack::backward_layer(std::int64_t layer, Array dx)
{
    builder_.begin({"recompute", "layers"});
    attention_.forward(layer, true);
    feed_forward_->forward(layer, attention_.output(layer), true);
    builder_.begin({"backward", "layers"});
    feed_forward_->backward(layer, attention_.output(layer), dx);
    attention_.backward(layer, dx);
}

} // namespace alxsim::transformer
