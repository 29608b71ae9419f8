// SPDX-License-Identifier: Apache-2.0
#include "model_of_parts.h"

#include "spmd/linear/product.h"
#include "workloads/transformer/layer_math.h"
#include "workloads/transformer/math/activation.h"
#include "workloads/transformer/math/flash_attention.h"
#include "workloads/transformer/math/ring_attention.h"
#include "workloads/transformer/math/rms_norm.h"
#include "workloads/transformer/parameters/parameters.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace alxsim::transformer {
namespace {

std::size_t as_size(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}

std::int64_t count_of(const Doubles& numbers)
{
    return static_cast<std::int64_t>(numbers.size());
}

void add(const Doubles& added, Doubles& sum)
{
    std::transform(sum.begin(), sum.end(), added.begin(), sum.begin(), std::plus<>());
}

} // namespace

ModelOfParts::ModelOfParts(const TinyReference& reference)
    : size_(reference.size),
      sequences_(reference.sequences)
{
    const std::vector<ParameterSpec> specs = parameter_specs(size_);
    for (const ParameterOf& of : all_parameters(specs, size_.layers)) {
        names_.push_back(of.name());
        rows_[of.name()] = of.spec->rows;
        weights_[of.name()] = initial_values(*of.spec, names_.size(), reference.initial_stddev);
        gradients_[of.name()] = Doubles(weights_[of.name()].size());
    }
}

AttentionShape ModelOfParts::attention_shape() const
{
    return {sequences_,         static_cast<std::int64_t>(positions_.size()),
            size_.heads,        size_.keys(),
            size_.head_width(), size_.window};
}

Doubles ModelOfParts::normalized(const std::string& gamma, const Doubles& x) const
{
    const RmsNormShape shape{count_of(x) / size_.hidden, size_.hidden, size_.hidden};
    Doubles sums(as_size(shape.rows));
    row_square_sums(x.data(), shape.rows, shape.columns, sums.data());
    Doubles y(x.size());
    normalize_rms(shape, x.data(), sums.data(), weights_.at(gamma).data(), y.data());
    return y;
}

void ModelOfParts::add_normalized_backward(const std::string& gamma, const Doubles& x,
                                           const Doubles& dy, Doubles& dx)
{
    const RmsNormShape shape{count_of(x) / size_.hidden, size_.hidden, size_.hidden};
    Doubles sums(as_size(shape.rows));
    Doubles with_x(sums.size());
    row_square_sums(x.data(), shape.rows, shape.columns, sums.data());
    const double* const weights = weights_.at(gamma).data();
    rms_norm_backward_sums(shape, x.data(), dy.data(), sums.data(), weights, with_x.data(),
                           gradients_.at(gamma).data());
    add_rms_norm_backward(shape, x.data(), dy.data(), sums.data(), weights, with_x.data(),
                          dx.data());
}

Doubles ModelOfParts::times(const Doubles& x, const std::string& weights) const
{
    const std::int64_t k = rows_.at(weights);
    const std::int64_t n = count_of(weights_.at(weights)) / k;
    const std::int64_t m = count_of(x) / k;
    Doubles y(as_size(m * n));
    spmd::set_product<double>({{x.data(), k}, {weights_.at(weights).data(), n}, {y.data(), n}},
                              {m, k, n});
    return y;
}

Doubles ModelOfParts::times_backward(const Doubles& x, const Doubles& dy,
                                     const std::string& weights)
{
    const std::int64_t k = rows_.at(weights);
    const std::int64_t n = count_of(weights_.at(weights)) / k;
    const std::int64_t m = count_of(x) / k;
    Doubles dx(x.size());
    spmd::set_product<double>(
        {{dy.data(), n}, {weights_.at(weights).data(), n, true}, {dx.data(), k}}, {m, n, k});
    spmd::set_product<double>(
        {{x.data(), k, true}, {dy.data(), n}, {gradients_.at(weights).data(), n}}, {k, m, n});
    return dx;
}

/// With a cache: as a ring's device whose one block is all that came before, and its own.
void ModelOfParts::attend(KeyCache* cache, Kept& kept) const
{
    const AttentionShape shape = attention_shape();
    kept.context.resize(as_size(shape.tokens() * shape.query_width()));
    kept.log_sums.resize(as_size(shape.sequences * shape.heads * shape.length));
    if (cache == nullptr) {
        flash_attention(shape, kept.qkv.data(), kept.context.data(), kept.log_sums.data());
        return;
    }
    Doubles own(as_size(shape.tokens() * 2 * shape.key_width()));
    take_keys(shape, kept.qkv.data(), own.data());
    Doubles block;
    cache->resize(as_size(shape.sequences));
    for (std::size_t i = 0; i < cache->size(); ++i) {
        const auto from =
            own.begin() + static_cast<std::int64_t>(i) * shape.length * 2 * shape.key_width();
        Doubles& of_sequence = (*cache)[i];
        of_sequence.insert(of_sequence.end(), from, from + shape.length * 2 * shape.key_width());
        block.insert(block.end(), of_sequence.begin(), of_sequence.end());
    }
    const std::int64_t cached = count_of(cache->front()) / (2 * shape.key_width());
    std::vector<std::int32_t> positions(as_size(cached));
    std::iota(positions.begin(), positions.end(), 0);
    Doubles maxima(kept.log_sums.size());
    const RingState<double> state{maxima.data(), kept.log_sums.data(), kept.context.data()};
    start_ring(shape, state);
    meet_keys(shape, kept.qkv.data(), positions_.data(), {block.data(), positions.data(), cached},
              state);
    finish_ring(shape, state, kept.context.data(), kept.log_sums.data());
}

Doubles ModelOfParts::attend_backward(const std::string& layer, const Kept& kept,
                                      const Doubles& dcontext)
{
    const AttentionShape shape = attention_shape();
    Doubles dqkv(kept.qkv.size());
    flash_attention_backward(shape, kept.qkv.data(), kept.context.data(), kept.log_sums.data(),
                             dcontext.data(), dqkv.data());
    rotary(shape, positions_.data(), size_.rope_theta, -1, dqkv.data());
    if (size_.qk_norm) {
        normalize_heads_backward(shape, kept.raw.data(), weights_.at(layer + "q_norm.g").data(),
                                 weights_.at(layer + "k_norm.g").data(), dqkv.data(),
                                 gradients_.at(layer + "q_norm.g").data(),
                                 gradients_.at(layer + "k_norm.g").data());
    }
    return dqkv;
}

Doubles ModelOfParts::layer_forward(const std::string& layer, Doubles x, KeyCache* cache)
{
    const AttentionShape shape = attention_shape();
    Kept& kept = kept_[layer];
    kept.input = std::move(x);
    kept.normal1 = normalized(layer + "ln1.g", kept.input);
    kept.raw = times(kept.normal1, layer + "qkv.w");
    if (size_.biases == Biases::qkv) {
        spmd::add_bias(weights_.at(layer + "qkv.b").data(), shape.tokens(), shape.row(),
                       kept.raw.data());
    }
    kept.qkv = kept.raw;
    if (size_.qk_norm) {
        normalize_heads(shape, kept.raw.data(), weights_.at(layer + "q_norm.g").data(),
                        weights_.at(layer + "k_norm.g").data(), kept.qkv.data());
    }
    rotary(shape, positions_.data(), size_.rope_theta, 1, kept.qkv.data());
    attend(cache, kept);
    kept.middle = times(kept.context, layer + "proj.w");
    add(kept.input, kept.middle);
    kept.normal2 = normalized(layer + "ln2.g", kept.middle);
    kept.before = times(kept.normal2, layer + "fc1.w");
    kept.after.resize(as_size(shape.tokens() * size_.inner_width()));
    activate({size_.activation, size_.gated, shape.tokens(), size_.inner_width()},
             kept.before.data(), kept.after.data());
    Doubles y = times(kept.after, layer + "fc2.w");
    add(kept.middle, y);
    return y;
}

void ModelOfParts::layer_backward(const std::string& layer, Doubles& dx)
{
    const AttentionShape shape = attention_shape();
    const Kept& kept = kept_.at(layer);
    const Doubles dafter = times_backward(kept.after, dx, layer + "fc2.w");
    Doubles dbefore(kept.before.size());
    activate_backward({size_.activation, size_.gated, shape.tokens(), size_.inner_width()},
                      kept.before.data(), dafter.data(), dbefore.data());
    add_normalized_backward(layer + "ln2.g", kept.middle,
                            times_backward(kept.normal2, dbefore, layer + "fc1.w"), dx);
    const Doubles dqkv =
        attend_backward(layer, kept, times_backward(kept.context, dx, layer + "proj.w"));
    if (size_.biases == Biases::qkv) {
        spmd::column_sums(dqkv.data(), shape.tokens(), shape.row(),
                          gradients_.at(layer + "qkv.b").data());
    }
    add_normalized_backward(layer + "ln1.g", kept.input,
                            times_backward(kept.normal1, dqkv, layer + "qkv.w"), dx);
}

Doubles ModelOfParts::logits(const std::vector<std::int32_t>& tokens, std::vector<KeyCache>* caches)
{
    const std::int64_t h = size_.hidden;
    const auto count = static_cast<std::int64_t>(tokens.size());
    std::int64_t begin = 0;
    if (caches != nullptr && !caches->empty()) {
        begin = count_of(caches->front().front()) / (2 * size_.key_width());
    }
    positions_.resize(as_size(count / sequences_));
    std::iota(positions_.begin(), positions_.end(), static_cast<std::int32_t>(begin));
    Doubles x(as_size(count * h));
    add_looked_up(tokens.data(), count, weights_.at("wte").data(), 0, size_.vocabulary, h,
                  x.data());
    if (caches != nullptr) {
        caches->resize(as_size(size_.layers));
    }
    for (std::int64_t layer = 0; layer < size_.layers; ++layer) {
        x = layer_forward(std::to_string(layer) + ".", std::move(x),
                          caches != nullptr ? &(*caches)[as_size(layer)] : nullptr);
    }
    last_ = std::move(x);
    final_ = normalized("lnf.g", last_);
    Doubles result(as_size(count * size_.vocabulary));
    spmd::set_product<double>({{final_.data(), h},
                               {weights_.at(head()).data(), h, true},
                               {result.data(), size_.vocabulary}},
                              {count, h, size_.vocabulary});
    return result;
}

double ModelOfParts::loss(const std::vector<std::int32_t>& tokens,
                          const std::vector<std::int32_t>& targets)
{
    const std::int64_t h = size_.hidden;
    const std::int64_t v = size_.vocabulary;
    const auto count = static_cast<std::int64_t>(tokens.size());
    const Doubles scores = logits(tokens);
    const VocabularyPart<double> part{scores.data(), count, v, 0, targets.data()};
    Doubles maxima(tokens.size());
    Doubles sums(tokens.size());
    Doubles of_targets(tokens.size());
    row_maxima(part, maxima.data());
    exponential_sums(part, maxima.data(), sums.data());
    target_logits(part, of_targets.data());
    Doubles dlogits(scores.size());
    cross_entropy_backward(part, maxima.data(), sums.data(), count, dlogits.data());
    Doubles dfinal(final_.size());
    std::fill(gradients_.at("wte").begin(), gradients_.at("wte").end(), 0.0);
    spmd::set_product<double>(
        {{dlogits.data(), v}, {weights_.at(head()).data(), h}, {dfinal.data(), h}}, {count, v, h});
    spmd::set_product<double>(
        {{dlogits.data(), v, true}, {final_.data(), h}, {gradients_.at(head()).data(), h}},
        {v, count, h});
    Doubles dx(final_.size());
    add_normalized_backward("lnf.g", last_, dfinal, dx);
    for (std::int64_t layer = size_.layers - 1; layer >= 0; --layer) {
        layer_backward(std::to_string(layer) + ".", dx);
    }
    add_to_looked_up(tokens.data(), count, dx.data(), 0, v, h, gradients_.at("wte").data());
    return mean_cross_entropy(maxima.data(), sums.data(), of_targets.data(), count, count);
}

} // namespace alxsim::transformer
