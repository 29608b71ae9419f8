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
    StepBuilder::OfLayer drain;
    if (parts_.config().recomputation.offloads_any()) {
        drain = [this](std::int64_t layer) {
            builder_.begin({"forward", "layers"});
            parts_.offload(layer);
        };
    }
    layers(
        "layers", Order::up, [this](std::int64_t layer) { forward_layer(layer); }, drain);
}

void LayerStack::backward(Array dx)
{
    ParameterArrays& parameters = parts_.parameters();
    builder_.begin({"backward", "layers"});
    StepBuilder::OfLayer drain;
    if (parameters.gathers() || parameters.sums_meanwhile()) {
        drain = [&parameters, this](std::int64_t layer) {
            builder_.begin({"backward", "layers"});
            parameters.scatter(layer);
            if (parameters.sums_meanwhile()) {
                parameters.sum_replicas(layer);
            }
        };
    }
    layers(
        "layers backward", Order::down,
        [this, dx](std::int64_t layer) { backward_layer(layer, dx); }, drain);
}

/// All layers: weights of the next one are gathered while a layer computes, gradients of the one
/// before are summed up.
void LayerStack::layers(const std::string& name, Order order, const StepBuilder::OfLayer& body,
                        const StepBuilder::OfLayer& drain)
{
    const std::string pass = builder_.section().pass;
    const bool brings_back = order == Order::down && parts_.config().recomputation.offloads_any();
    StepBuilder::OfLayer fetch;
    if (parts_.parameters().gathers() || brings_back) {
        fetch = [this, pass, brings_back](std::int64_t layer) {
            builder_.begin({pass, "layers"});
            parts_.parameters().gather(layer);
            if (brings_back) {
                parts_.bring_back(layer);
            }
        };
    }
    builder_.layers_ahead(name, pass + ".layers", parts_.layers(), order, fetch, body, drain);
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
