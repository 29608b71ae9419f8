// SPDX-License-Identifier: Apache-2.0
#include "spmd/ring_products.h"
#include "workloads/transformer/blocks/sharding.h"
#include "workloads/transformer/math/rms_norm.h"

#include <algorithm>

namespace alxsim::transformer {
namespace {

using model::CollectiveKind;

/// Megatron-LM's: qkv and fc1 by columns, proj and fc2 by rows. The residual stream stands on all
/// devices, and is all-reduced; or each has its part of the tokens, and what was an all-reduce is a
/// reduce-scatter and an all-gather (`by_tokens`; Korthikanti et al. 2022), or both go on beside
/// the products that take and make the tokens (config.in_rings).
class OneDimensional : public Sharding {
public:
    OneDimensional(const TransformerConfig& config, StepBuilder& builder)
        : Sharding(config, builder),
          by_tokens_(config.sharding == ShardingKind::one_dimensional_sequence &&
                     layout_.parts() > 1)
    {
        sizes_.parts = layout_.parts();
        sizes_.sequences = config.sequences();
        sizes_.tokens = sizes_.sequences * config.length();
        sizes_.stream_tokens = by_tokens_ ? sizes_.tokens / sizes_.parts : sizes_.tokens;
        sizes_.stream_width = config.size.hidden;
    }

    void into(const Linear& linear, Array x, Array y) override
    {
        if (in_ring(linear.name)) {
            ring().multiply_gathered({linear.name, linear.phase}, x, {linear.weight.value}, y,
                                     linear.bias.value);
            return;
        }
        builder_.multiply(linear.name, linear.phase, {gathered(linear.name, x)},
                          right_factor(linear.weight), {y},
                          fused_with(ProductOf::forward, linear.bias.value));
    }

    void into_backward(const Linear& linear, Array dy, Array x, Array dx) override
    {
        if (in_ring(linear.name)) {
            ring().multiply_and_scatter({linear.name + " input gradient", linear.phase}, dy,
                                        {linear.weight.value, true}, dx);
            ring().multiply_over_rows({linear.name + " weight gradient", linear.phase},
                                      {x, dy, true}, linear.weight.gradient, linear.bias.gradient);
            return;
        }
        const Array whole = by_tokens_ ? full("partial") : dx;
        builder_.multiply(linear.name + " input gradient", linear.phase, {dy},
                          {linear.weight.value, true}, {whole},
                          fused_with(ProductOf::input_gradient));
        summed(linear.name + " input gradient", whole, dx);
        builder_.multiply(linear.name + " weight gradient", linear.phase,
                          {gathered(linear.name, x), true}, {dy}, {linear.weight.gradient},
                          fused_with(ProductOf::weight_gradient, {}, linear.bias.gradient));
    }

    void out_of(const Linear& linear, Array x, Array y) override
    {
        if (in_ring(linear.name)) {
            ring().multiply_and_scatter({linear.name, linear.phase}, x, {linear.weight.value}, y);
            return;
        }
        const Array whole = by_tokens_ ? full("partial") : y;
        builder_.multiply(linear.name, linear.phase, {x}, right_factor(linear.weight), {whole},
                          fused_with(ProductOf::forward));
        summed(linear.name, whole, y);
    }

    void out_of_backward(const Linear& linear, Array dy, Array x, Array dx) override
    {
        if (in_ring(linear.name)) {
            ring().multiply_gathered({linear.name + " input gradient", linear.phase}, dy,
                                     {linear.weight.value, true}, dx);
            ring().multiply_over_rows({linear.name + " weight gradient", linear.phase}, {x, dy},
                                      linear.weight.gradient, linear.bias.gradient);
            return;
        }
        const Array whole = gathered(linear.name + " gradient", dy);
        builder_.multiply(linear.name + " input gradient", linear.phase, {whole},
                          {linear.weight.value, true}, {dx}, fused_with(ProductOf::input_gradient));
        builder_.multiply(linear.name + " weight gradient", linear.phase, {x, true}, {whole},
                          {linear.weight.gradient},
                          fused_with(ProductOf::weight_gradient, {}, linear.bias.gradient));
    }

    Array whole(const std::string& name, Array x) override
    {
        if (!by_tokens_) {
            return x;
        }
        const Array all = full(name);
        builder_.collective(name, CollectiveKind::all_gather, axis::tensor, x, all);
        return all;
    }

    Array partial(Array x) override { return by_tokens_ ? full("partial") : x; }

    void sum_partial(const std::string& name, Array x) override { summed(name, partial(x), x); }

    Array usable(const std::string& /*name*/, const Weight& vector,
                 const StepBuilder::Storage& /*storage*/) override
    {
        return vector.value;
    }

    Array already_usable(const std::string& /*name*/, const Weight& vector,
                         const StepBuilder::Storage& /*storage*/) override
    {
        return vector.value;
    }

    void norm(const std::string& phase, Array x, const NormKept& kept, Array beta, Array y) override
    {
        if (config_.size.norm == NormKind::rms) {
            rms_norm(phase, x, kept, y);
            return;
        }
        const Shape shape = builder_.shape(x);
        builder_.compute("normalization", phase,
                         row_vector(shape.elements(), 8, config_.dtype, shape.columns),
                         {x, kept.gamma, beta}, {kept.total, kept.squares, y}, [=](const auto& on) {
                             row_sums(on(x), shape.rows, shape.columns, on(kept.total));
                             row_squares(on(x), on(kept.total), shape.rows, shape.columns,
                                         shape.columns, on(kept.squares));
                             normalize(on(x), statistics(on, kept, shape), on(kept.gamma), on(beta),
                                       shape.rows, shape.columns, on(y));
                         });
    }

    void norm_backward(const std::string& phase, Array x, Array dy, const NormKept& kept,
                       const NormWeights& weights, Array dx) override
    {
        if (config_.size.norm == NormKind::rms) {
            rms_norm_backward(phase, x, dy, kept, weights.gamma.gradient, dx);
            return;
        }
        const Shape shape = builder_.shape(x);
        const Array dgamma = weights.gamma.gradient;
        const Array dbeta = weights.beta.gradient;
        const Array total = sums("norm.sums", shape.rows);
        const Array with_x = sums("norm.sums_with_x", shape.rows);
        builder_.compute("normalization gradient", phase,
                         row_vector(shape.elements(), 16, config_.dtype, shape.columns),
                         {x, dy, kept.total, kept.squares, kept.gamma, dx},
                         {dx, dgamma, dbeta, total, with_x}, [=](const auto& on) {
                             const auto of_rows = statistics(on, kept, shape);
                             norm_backward_sums(on(x), on(dy), of_rows, on(kept.gamma), shape.rows,
                                                shape.columns, on(total), on(with_x), on(dgamma),
                                                on(dbeta));
                             add_norm_backward(on(x), on(dy), of_rows, on(kept.gamma), on(total),
                                               on(with_x), shape.rows, shape.columns, on(dx));
                         });
    }

    void finish_norms(Array gradients) override
    {
        if (by_tokens_) {
            builder_.collective("normalization gradients", CollectiveKind::all_reduce, axis::tensor,
                                gradients, gradients);
        }
    }

    void embed(const Weight& tokens, const Weight& positions, Array x) override
    {
        const Array whole = by_tokens_ ? full("partial") : x;
        look_up(tokens.value, first_row(tokens), whole, true);
        summed("token rows", whole, x);
        if (positions.value.exists()) {
            add_positions(positions.value, x, first_token());
        }
    }

    void embed_backward(const Weight& tokens, const Weight& positions, Array dx) override
    {
        const Array whole = gathered("embedding gradient", dx);
        gradient_of_table(whole, tokens.gradient, first_row(tokens), {{}, {}, !config_.size.tied});
        if (positions.value.exists()) {
            gradient_of_positions(whole, positions.gradient, [](int) { return std::int64_t{0}; });
        }
    }

    void head(const Weight& tokens, Array x, Array logits) override
    {
        if (in_ring("head")) {
            ring().multiply_gathered({"logits", phase("head")}, x, {tokens.value, true}, logits);
            return;
        }
        builder_.multiply("logits", phase("head"), {gathered_for_head(x)}, {tokens.value, true},
                          {logits});
    }

    void head_backward(const Weight& tokens, Array dlogits, Array x, Array dx) override
    {
        if (in_ring("head")) {
            ring().multiply_and_scatter({"head input gradient", phase("head")}, dlogits,
                                        {tokens.value}, dx);
            ring().multiply_over_rows({"token table gradient", phase("head")}, {dlogits, x},
                                      tokens.gradient);
            return;
        }
        const Array whole = by_tokens_ ? full("partial") : dx;
        builder_.multiply("head input gradient", phase("head"), {dlogits}, {tokens.value}, {whole});
        summed("head input gradient", whole, dx);
        const Array kept = by_tokens_ ? full("head_input") : x;
        builder_.multiply("token table gradient", phase("head"), {dlogits, true}, {kept},
                          {tokens.gradient});
    }

    const std::string& vocabulary_axis() const override { return axis::tensor; }

private:
    /// Whether tokens of that product go round beside it.
    bool in_ring(const std::string& name) const
    {
        const auto& products = value_names(CutProduct());
        return by_tokens_ && std::any_of(products.begin(), products.end(), [&](const auto& one) {
                   return name == one.first && config_.in_rings.has(one.second);
               });
    }
    spmd::RingProducts ring() { return {builder_, axis::tensor}; }

    void rms_norm(const std::string& phase, Array x, const NormKept& kept, Array y)
    {
        const Shape shape = builder_.shape(x);
        const RmsNormShape rows{shape.rows, shape.columns, shape.columns};
        builder_.compute("normalization", phase,
                         row_vector(shape.elements(), 4, config_.dtype, shape.columns),
                         {x, kept.gamma}, {kept.squares, y}, [=](const auto& on) {
                             row_square_sums(on(x), shape.rows, shape.columns, on(kept.squares));
                             normalize_rms(rows, on(x), on(kept.squares), on(kept.gamma), on(y));
                         });
    }

    void rms_norm_backward(const std::string& phase, Array x, Array dy, const NormKept& kept,
                           Array dgamma, Array dx)
    {
        const Shape shape = builder_.shape(x);
        const RmsNormShape rows{shape.rows, shape.columns, shape.columns};
        const Array with_x = sums("norm.sums_with_x", shape.rows);
        builder_.compute("normalization gradient", phase,
                         row_vector(shape.elements(), 10, config_.dtype, shape.columns),
                         {x, dy, kept.squares, kept.gamma, dx}, {dx, dgamma, with_x},
                         [=](const auto& on) {
                             rms_norm_backward_sums(rows, on(x), on(dy), on(kept.squares),
                                                    on(kept.gamma), on(with_x), on(dgamma));
                             add_rms_norm_backward(rows, on(x), on(dy), on(kept.squares),
                                                   on(kept.gamma), on(with_x), on(dx));
                         });
    }

    static StepBuilder::Operand right_factor(const Weight& weight)
    {
        return {weight.value, false, 1, weight.scales};
    }

    template <class On>
    static auto statistics(const On& on, const NormKept& kept, const Shape& shape)
    {
        return NormStatistics<typename On::Number>{on(kept.total), on(kept.squares), shape.columns};
    }

    /// All tokens of the replica, all their numbers.
    Array full(const std::string& name) const
    {
        return workspace(name, {sizes_.tokens, config_.size.hidden});
    }

    /// What all devices have of x.
    Array gathered(const std::string& name, Array x)
    {
        if (!by_tokens_) {
            return x;
        }
        const Array whole = full("gathered");
        builder_.collective(name, CollectiveKind::all_gather, axis::tensor, x, whole);
        return whole;
    }

    /// The same, kept for the head's backward.
    Array gathered_for_head(Array x)
    {
        if (!by_tokens_) {
            return x;
        }
        const Array whole = full("head_input");
        builder_.collective("head input", CollectiveKind::all_gather, axis::tensor, x, whole);
        return whole;
    }

    /// The sum of what all devices have in `partial`, in x.
    void summed(const std::string& name, Array partial, Array x)
    {
        builder_.collective(
            name, by_tokens_ ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
            axis::tensor, partial, x);
    }

    FirstOf first_row(const Weight& tokens) const
    {
        return [rows = builder_.shape(tokens.value).rows, layout = layout_](int device) {
            return layout.place_of(device).part * rows;
        };
    }
    FirstOf first_token() const
    {
        return [rows = by_tokens_ ? sizes_.stream_tokens : 0, layout = layout_](int device) {
            return layout.place_of(device).part * rows;
        };
    }

    bool by_tokens_;
};

} // namespace

std::unique_ptr<Sharding> make_one_dimensional(const TransformerConfig& config,
                                               StepBuilder& builder)
{
    return std::make_unique<OneDimensional>(config, builder);
}

} // namespace alxsim::transformer
