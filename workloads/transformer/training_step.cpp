// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/training_step.h"

namespace alxsim::transformer {
TrainingStep::TrainingStep(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : parts_(config, numbers, moved),
      builder_(parts_.builder()),
      attention_(parts_),
      feed_forward_(config.size.experts.exist() ? make_experts(parts_) : make_mlp(parts_)),
      ends_(parts_)
{
    if (config.input_bytes_per_second > 0) {
        feed();
    }
    builder_.layers("microbatches", "microbatches", config.microbatches, Order::up,
                    [this](std::int64_t number) { microbatch(number); });
    ends_.sum_loss();
    ParameterArrays& parameters = parts_.parameters();
    if (parameters.has_replicas() && !parameters.sums_meanwhile()) {
        builder_.begin({"gradients", "layers"});
        builder_.layers("replicas' gradients", "gradients.data", parts_.layers(), Order::down,
                        [&](std::int64_t layer) { parameters.sum_replicas(layer); });
    }
    builder_.begin({"backward", "layers"});
    parts_.sharding().finish_norms(parameters.norm_gradients());
    parameters.sum_remaining();
    parameters.optimize(step_);
    collectives_ = builder_.collectives();
    graph_ = std::make_shared<const model::OpGraph>(builder_.take("training step"));
}

/// Token ids of the sequences that a device works on; targets are the same, one token later. A
/// host reads its devices' part of the batch once.
void TrainingStep::feed()
{
    constexpr std::int64_t id_bytes = 4;
    const TransformerConfig& config = parts_.config();
    const std::int64_t batch = config.batch * config.size.sequence;
    const std::int64_t tokens = parts_.sharding().sizes().tokens * config.microbatches;
    const Array ids = builder_.array("batch.tokens", {1, tokens}, model::DType::f32);
    builder_.begin({"infeed", "tokens"});
    builder_.compute("tokens", "infeed",
                     model::infeed_of(Bytes(tokens * id_bytes),
                                      Bytes(ceil_divide(batch, config.devices()) * id_bytes)),
                     {}, {ids}, [](const auto&) {});
}

void TrainingStep::microbatch(std::int64_t number)
{
    parts_.sharding().set_microbatch(number);
    ends_.embed();
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
    ends_.head(number);
    backward(number);
}

void TrainingStep::forward_layer(std::int64_t layer)
{
    builder_.begin({"forward", "layers"});
    attention_.forward(layer, false);
    feed_forward_->forward(layer, attention_.output(layer), false);
}

void TrainingStep::backward(std::int64_t microbatch)
{
    ParameterArrays& parameters = parts_.parameters();
    const Array dx = parts_.scratch("dstream", parts_.sharding().stream());
    ends_.head_backward(dx);
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
        "layers backward", Order::down, [this](std::int64_t layer) { backward_layer(layer); },
        drain);
    ends_.embed_backward(dx);
    if (parts_.config().microbatches > 1) {
        parameters.accumulate(microbatch);
    }
}

/// All layers: weights of the next one are gathered while a layer computes, gradients of the one
/// before are summed up.
void TrainingStep::layers(const std::string& name, Order order, const StepBuilder::OfLayer& body,
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

void TrainingStep::backward_layer(std::int64_t layer)
{
    builder_.begin({"recompute", "layers"});
    attention_.forward(layer, true);
    feed_forward_->forward(layer, attention_.output(layer), true);
    builder_.begin({"backward", "layers"});
    const Array dx = parts_.scratch("dstream", parts_.sharding().stream());
    feed_forward_->backward(layer, attention_.output(layer), dx);
    attention_.backward(layer, dx);
}

} // namespace alxsim::transformer
