// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/training_step.h"

namespace alxsim::transformer {
namespace {

using Order = StepBuilder::Order;

} // namespace

TrainingStep::TrainingStep(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : parts_(config, numbers, moved),
      builder_(parts_.builder()),
      attention_(parts_),
      feed_forward_(make_mlp(parts_)),
      ends_(parts_)
{
    if (config.input_bytes_per_second > 0) {
        feed();
    }
    builder_.layers("microbatches", "microbatches", config.microbatches, Order::up,
                    [this](std::int64_t number) { microbatch(number); });
    ends_.sum_loss();
    ParameterArrays& parameters = parts_.parameters();
    if (parameters.has_replicas() && !sums_meanwhile()) {
        builder_.begin({"gradients", "layers"});
        builder_.layers("replicas' gradients", "gradients.data", parts_.layers(), Order::down,
                        [&](std::int64_t layer) { parameters.sum_replicas(layer, false); });
    }
    builder_.begin({"backward", "layers"});
    parts_.sharding().finish_norms(parameters.norm_gradients());
    parameters.sum_remaining();
    parameters.optimize(step_);
    collectives_ = builder_.collectives();
    graph_ = std::make_shared<const model::OpGraph>(builder_.take("training step"));
}

bool TrainingStep::sums_meanwhile() const
{
    const TransformerConfig& config = parts_.config();
    return config.gradient_overlap == GradientOverlap::backward && config.microbatches == 1 &&
           parts_.parameters().has_replicas();
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
    builder_.layers("layers", "forward.layers", parts_.layers(), Order::up,
                    [this](std::int64_t layer) { forward_layer(layer); });
    ends_.head(number);
    backward(number);
}

void TrainingStep::forward_layer(std::int64_t layer)
{
    parts_.parameters().gather(layer, false);
    attention_.forward(layer, false);
    feed_forward_->forward(layer, attention_.output(layer), false);
}

void TrainingStep::backward(std::int64_t microbatch)
{
    ParameterArrays& parameters = parts_.parameters();
    const Array dx = parts_.scratch("dstream", parts_.sharding().stream());
    ends_.head_backward(dx);
    builder_.begin({"backward", "layers"});
    const std::int64_t layers = parts_.layers();
    if (sums_meanwhile()) {
        // While a layer's backward runs, the gradients of the one above are summed up.
        backward_layer(layers - 1);
        builder_.layers("layers backward", "backward.layers", layers - 1, Order::down,
                        [&](std::int64_t layer) {
                            parameters.sum_replicas(layer + 1, true);
                            backward_layer(layer);
                        });
        parameters.sum_replicas(0, false);
    } else {
        builder_.layers("layers backward", "backward.layers", layers, Order::down,
                        [this](std::int64_t layer) { backward_layer(layer); });
    }
    ends_.embed_backward(dx);
    if (parts_.config().microbatches > 1) {
        parameters.accumulate(microbatch);
    }
}

void TrainingStep::backward_layer(std::int64_t layer)
{
    ParameterArrays& parameters = parts_.parameters();
    builder_.begin({"backward", "layers"});
    parameters.gather(layer, false);
    builder_.begin({"recompute", "layers"});
    attention_.forward(layer, true);
    feed_forward_->forward(layer, attention_.output(layer), true);
    builder_.begin({"backward", "layers"});
    const Array dx = parts_.scratch("dstream", parts_.sharding().stream());
    feed_forward_->backward(layer, attention_.output(layer), dx);
    attention_.backward(layer, dx);
    parameters.scatter(layer, false);
}

} // namespace alxsim::transformer
