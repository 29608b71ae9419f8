// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/step_parts.h"
#include "workloads/transformer/math/flash_attention.h"
#include "workloads/transformer/math/rms_norm.h"

#include <algorithm>

namespace alxsim::transformer {

AttentionBlock::AttentionBlock(StepParts& parts) : parts_(parts), builder_(parts.builder())
{
    const ModelSize& size = parts.size();
    const ShardSizes& sizes = parts.sharding().sizes();
    shape_ = {sizes.sequences,          parts.config().length(),
              size.heads / sizes.parts, std::max<std::int64_t>(1, size.keys() / sizes.parts),
              size.head_width(),        size.window};
}

Array AttentionBlock::output(std::int64_t layer)
{
    return parts_.activation(Activations::out_proj, "middle", parts_.sharding().stream(), layer);
}

/// What the product with the weights of queries, keys and values yields.
Array AttentionBlock::product_of_qkv(std::int64_t layer)
{
    return parts_.activation(Activations::qkv, "qkv", {shape_.tokens(), shape_.row()}, layer);
}

/// The same as attention takes it: normalized, in an array of its own, since the gradient of that
/// wants both.
Array AttentionBlock::qkv(std::int64_t layer)
{
    return parts_.size().qk_norm ? parts_.activation(Activations::qkv, "normalized_qkv",
                                                     {shape_.tokens(), shape_.row()}, layer)
                                 : product_of_qkv(layer);
}

Array AttentionBlock::context_of(std::int64_t layer)
{
    return parts_.activation(Activations::context, "context",
                             {shape_.tokens(), shape_.query_width()}, layer);
}

Array AttentionBlock::log_sums(std::int64_t layer)
{
    return parts_.activation(Activations::context, "log_sums",
                             {shape_.sequences * shape_.heads * shape_.length, 1}, layer,
                             parts_.sum_type());
}

Shape AttentionBlock::square_shape() const
{
    return {shape_.sequences * shape_.heads * shape_.length, shape_.length};
}

Array AttentionBlock::square(const std::string& name, std::int64_t layer)
{
    return parts_.activation(Activations::probabilities, name, square_shape(), layer);
}

void AttentionBlock::forward(std::int64_t layer, bool again)
{
    project(layer, again);
    if (parts_.config().stores_scores() && parts_.computes(Activations::probabilities, again)) {
        probabilities(layer);
    }
    if (parts_.computes(Activations::context, again)) {
        if (parts_.config().stores_scores()) {
            context(layer);
        } else if (is_ring()) {
            ring(layer);
        } else {
            flash(layer);
        }
    }
    finish(layer, again);
}

void AttentionBlock::project(std::int64_t layer, bool again)
{
    Sharding& sharding = parts_.sharding();
    const Array normal = parts_.activation(Activations::norm1, "ln1", sharding.stream(), layer);
    if (parts_.computes(Activations::norm1, again)) {
        parts_.norm("ln1", "attention", layer, parts_.stream(layer), normal);
    }
    if (parts_.computes(Activations::qkv, again)) {
        sharding.into(parts_.linear("qkv", "attention", layer), normal, product_of_qkv(layer));
        prepare_keys(layer);
    }
}

void AttentionBlock::finish(std::int64_t layer, bool again)
{
    Sharding& sharding = parts_.sharding();
    if (parts_.computes(Activations::out_proj, again)) {
        const Array branch = parts_.scratch("branch", sharding.stream());
        sharding.out_of(parts_.linear("proj", "attention", layer), context_of(layer), branch);
        parts_.add_residual("attention", "proj.b", layer, parts_.stream(layer), branch,
                            output(layer));
    }
}

void AttentionBlock::backward(std::int64_t layer, Array dx)
{
    Sharding& sharding = parts_.sharding();
    const Array dbranch = parts_.scratch("dbranch", sharding.stream());
    const Array dcontext = parts_.scratch("dcontext", {shape_.tokens(), shape_.query_width()});
    const Array dqkv = parts_.scratch("dqkv", {shape_.tokens(), shape_.row()});
    sharding.out_of_backward(parts_.linear("proj", "attention", layer), dx, context_of(layer),
                             dcontext);
    if (parts_.config().stores_scores()) {
        stored_backward(layer, dcontext, dqkv);
    } else if (is_ring()) {
        ring_backward(layer, dcontext, dqkv);
    } else {
        flash_backward(layer, dcontext, dqkv);
    }
    prepare_keys_backward(layer, dqkv);
    parts_.parameters().scatter("proj.w", layer);
    const Array normal = parts_.activation(Activations::norm1, "ln1", sharding.stream(), layer);
    sharding.into_backward(parts_.linear("qkv", "attention", layer), dqkv, normal, dbranch);
    parts_.norm_backward("ln1", "attention", layer, parts_.stream(layer), dbranch, dx);
}

/// Places in their sequence of the tokens that a device has of each.
AttentionBlock::PositionsOf AttentionBlock::positions() const
{
    return [config = parts_.config(), layout = parts_.layout()](int device) {
        return token_positions(config, layout.place_of(device).sequence_part);
    };
}

// Queries and keys are normalized and turned in passes of their own: nothing else is assumed to be
// fused with them.
void AttentionBlock::prepare_keys(std::int64_t layer)
{
    const ModelSize& size = parts_.size();
    const AttentionShape shape = shape_;
    const std::int64_t turned = shape.tokens() * (shape.query_width() + shape.key_width());
    const double share = static_cast<double>(shape.query_width() + shape.key_width()) /
                         static_cast<double>(shape.row());
    const Array product = product_of_qkv(layer);
    const Array prepared = qkv(layer);
    if (size.qk_norm) {
        const Array q_gamma = parts_.weight("q_norm.g", layer).value;
        const Array k_gamma = parts_.weight("k_norm.g", layer).value;
        builder_.compute(
            "head normalization", parts_.phase("attention"), parts_.vector(turned, 5, shape.width),
            {product, q_gamma, k_gamma}, {prepared}, [=](const auto& on) {
                normalize_heads(shape, on(product), on(q_gamma), on(k_gamma), on(prepared));
            });
    }
    if (size.positions == Positions::rotary) {
        builder_.compute("rotary positions", parts_.phase("attention"), parts_.vector(turned, 3),
                         {{prepared, share}}, {{prepared, share}},
                         [=, theta = size.rope_theta, at = positions()](const auto& on) {
                             rotary(shape, at(on.device()).data(), theta, 1, on(prepared));
                         });
    }
}

void AttentionBlock::prepare_keys_backward(std::int64_t layer, Array dqkv)
{
    const ModelSize& size = parts_.size();
    const AttentionShape shape = shape_;
    const std::int64_t turned = shape.tokens() * (shape.query_width() + shape.key_width());
    const double share = static_cast<double>(shape.query_width() + shape.key_width()) /
                         static_cast<double>(shape.row());
    if (size.positions == Positions::rotary) {
        builder_.compute("rotary positions gradient", parts_.phase("attention"),
                         parts_.vector(turned, 3), {{dqkv, share}}, {{dqkv, share}},
                         [=, theta = size.rope_theta, at = positions()](const auto& on) {
                             rotary(shape, at(on.device()).data(), theta, -1, on(dqkv));
                         });
    }
    if (size.qk_norm) {
        const Array product = product_of_qkv(layer);
        const Weight q_gamma = parts_.weight("q_norm.g", layer);
        const Weight k_gamma = parts_.weight("k_norm.g", layer);
        builder_.compute("head normalization gradient", parts_.phase("attention"),
                         parts_.vector(turned, 10, shape.width),
                         {{product, share}, {dqkv, share}, q_gamma.value, k_gamma.value},
                         {{dqkv, share}, q_gamma.gradient, k_gamma.gradient}, [=](const auto& on) {
                             normalize_heads_backward(shape, on(product), on(q_gamma.value),
                                                      on(k_gamma.value), on(dqkv),
                                                      on(q_gamma.gradient), on(k_gamma.gradient));
                         });
    }
}

void AttentionBlock::probabilities(std::int64_t layer)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array scores = square("scores", layer);
    const Array probabilities = square("probabilities", layer);
    const double share = static_cast<double>(shape.query_width() + shape.key_width()) /
                         static_cast<double>(shape.row());
    builder_.compute("scores", parts_.phase("attention"), product(shape.width, shape.length),
                     {{all, share}}, {scores},
                     [=](const auto& on) { attention_scores(shape, on(all), on(scores)); });
    builder_.compute("softmax", parts_.phase("attention"), softmax_work(true), {scores},
                     {probabilities},
                     [=](const auto& on) { causal_softmax(shape, on(scores), on(probabilities)); });
}

void AttentionBlock::context(std::int64_t layer)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array probabilities = square("probabilities", layer);
    const Array result = context_of(layer);
    const double share = static_cast<double>(shape.key_width()) / static_cast<double>(shape.row());
    builder_.compute("context", parts_.phase("attention"), product(shape.length, shape.width),
                     {probabilities, {all, share}}, {result}, [=](const auto& on) {
                         attention_context(shape, on(probabilities), on(all), on(result));
                     });
}

/// Returns that of every head: [length x k] times [k x n].
model::Matmul AttentionBlock::product(std::int64_t k, std::int64_t n) const
{
    return spmd::matmul_of(shape_.sequences * shape_.heads, {shape_.length, k, n},
                           parts_.config().dtype);
}

/// Forward, as compiled: the largest; of the difference to it the exponential and its sum; again,
/// divided by the sum. Backward: products with the gradient, their sum, and theirs with the rest.
model::Vector AttentionBlock::softmax_work(bool forward) const
{
    model::Vector work = parts_.vector(square_shape().elements(), forward ? 7 : 4, shape_.length);
    work.medium_per_element = forward ? 2 : 0;
    work.division_per_element = forward ? 1 : 0;
    return work;
}

void AttentionBlock::stored_backward(std::int64_t layer, Array dcontext, Array dqkv)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array probabilities = square("probabilities", layer);
    const Array dscores = parts_.scratch("dscores", square_shape());
    model::Matmul twice = product(shape.width, shape.length);
    twice.batch *= 2; // the gradients of both factors
    const double of_values =
        static_cast<double>(shape.key_width()) / static_cast<double>(shape.row());
    const double of_others = static_cast<double>(shape.query_width() + shape.key_width()) /
                             static_cast<double>(shape.row());
    const std::string phase = parts_.phase("attention");
    builder_.compute("context gradient", phase, twice, {probabilities, {all, of_values}, dcontext},
                     {dscores, {dqkv, of_values}}, [=](const auto& on) {
                         attention_context_backward(shape, on(probabilities), on(all), on(dcontext),
                                                    on(dscores), on(dqkv));
                     });
    builder_.compute(
        "softmax gradient", phase, softmax_work(false), {probabilities, dscores}, {dscores},
        [=](const auto& on) { causal_softmax_backward(shape, on(probabilities), on(dscores)); });
    builder_.compute(
        "scores gradient", phase, twice, {dscores, {all, of_others}}, {{dqkv, of_others}},
        [=](const auto& on) { attention_scores_backward(shape, on(dscores), on(all), on(dqkv)); });
}

/// One kernel of so many products of each query with each key that it sees, of which a head has
/// `pairs` in each sequence; the forward has two.
model::Custom AttentionBlock::kernel(double products, std::int64_t pairs) const
{
    const double all =
        static_cast<double>(pairs) * static_cast<double>(shape_.sequences * shape_.heads);
    model::Custom work;
    work.flops = 2 * products * all * static_cast<double>(shape_.width);
    work.transcendentals = all;
    work.dtype = parts_.config().dtype;
    work.attention = true;
    return work;
}

void AttentionBlock::flash(std::int64_t layer)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array result = context_of(layer);
    const Array sums = log_sums(layer);
    builder_.compute(
        "flash attention", parts_.phase("attention"),
        kernel(2, seen_pairs(shape.window, shape.length, 0, 0)), {all}, {result, sums},
        [=](const auto& on) { flash_attention(shape, on(all), on(result), on(sums)); });
}

void AttentionBlock::flash_backward(std::int64_t layer, Array dcontext, Array dqkv)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array result = context_of(layer);
    const Array sums = log_sums(layer);
    const bool fused = parts_.config().attention_backward == AttentionBackward::fused;
    builder_.compute("flash attention gradient", parts_.phase("attention"),
                     kernel(fused ? 5 : 7, seen_pairs(shape.window, shape.length, 0, 0)),
                     {all, result, sums, dcontext}, {dqkv}, [=](const auto& on) {
                         flash_attention_backward(shape, on(all), on(result), on(sums),
                                                  on(dcontext), on(dqkv));
                     });
}

} // namespace alxsim::transformer
