// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/layout.h"
#include "workloads/transformer/parameters/weight.h"
#include "workloads/transformer/step_tokens.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::transformer {

/// Gamma and beta of a normalization.
struct NormWeights {
    Weight gamma, beta;
};

/// What a normalization's forward keeps for its backward.
struct NormKept {
    Array total, squares; ///< [tokens x 1]; see NormStatistics, of rms the sums of squares alone
    Array gamma;          ///< as the device can use it
};

/// Sizes of a device's arrays. Tokens of the residual stream and the numbers of one, those in the
/// products of a layer, and by how many devices these cut a layer's inner dimensions.
struct ShardSizes {
    std::int64_t stream_tokens = 0, stream_width = 0;
    std::int64_t tokens = 0;
    std::int64_t sequences = 0; ///< whose attention a device computes
    int parts = 1;              ///< of heads, of 4h, of the vocabulary
};

/// How the matrix products of a transformer, and what stands between them, are dealt to devices:
/// appends ops to a step. "Into" is a product that widens the residual stream (qkv, fc1), "out of"
/// one that leads back to it (proj, fc2).
class Sharding {
public:
    Sharding(const TransformerConfig& config, StepBuilder& builder);
    virtual ~Sharding() = default;

    const ShardSizes& sizes() const { return sizes_; }
    Shape stream() const { return {sizes_.stream_tokens, sizes_.stream_width}; }
    /// Returns that of `width` numbers a token, of which a device has its part.
    Shape inner(std::int64_t width) const { return {sizes_.tokens, width / sizes_.parts}; }

    struct Linear {
        std::string name;  ///< "qkv"
        std::string phase; ///< "forward.attention"
        Weight weight;
        Weight bias;
    };

    /// y = x W + b.
    virtual void into(const Linear& linear, Array x, Array y) = 0;
    /// dx = dy W^T, and the gradients of W and b.
    virtual void into_backward(const Linear& linear, Array dy, Array x, Array dx) = 0;
    /// y = x W; the bias stands in bias_of().
    virtual void out_of(const Linear& linear, Array x, Array y) = 0;
    virtual void out_of_backward(const Linear& linear, Array dy, Array x, Array dx) = 0;
    /// All tokens of x on all devices that share products: x, or the array of that name, into which
    /// they are gathered.
    virtual Array whole(const std::string& /*name*/, Array x) { return x; }
    /// Where such a device's part of a sum stands that becomes x: x, or an array of all tokens.
    virtual Array partial(Array x) { return x; }
    /// x = the sum of what these devices have in partial(x).
    virtual void sum_partial(const std::string& /*name*/, Array /*x*/) {}
    /// A vector of the residual stream's width, where the device can add it.
    virtual Array usable(const std::string& name, const Weight& vector,
                         const StepBuilder::Storage& storage) = 0;
    /// The same array, where usable() was called before.
    virtual Array already_usable(const std::string& name, const Weight& vector,
                                 const StepBuilder::Storage& storage) = 0;

    /// y = norm(x).
    virtual void norm(const std::string& phase, Array x, const NormKept& kept, Array beta,
                      Array y) = 0;
    /// dx += the gradient of x, and those of gamma and beta.
    virtual void norm_backward(const std::string& phase, Array x, Array dy, const NormKept& kept,
                               const NormWeights& weights, Array dx) = 0;
    /// What is left to do for the gradients of normalizations, when all are there.
    virtual void finish_norms(Array /*gradients*/) {}

    /// x = token and position embeddings; positions need not exist.
    virtual void embed(const Weight& tokens, const Weight& positions, Array x) = 0;
    /// Adds to the gradient of `tokens` where the head has its table, else sets it; sets that of
    /// `positions`.
    virtual void embed_backward(const Weight& tokens, const Weight& positions, Array dx) = 0;
    /// logits = x tokens^T.
    virtual void head(const Weight& tokens, Array x, Array logits) = 0;
    /// dx, and sets the gradient of `tokens`.
    virtual void head_backward(const Weight& tokens, Array dlogits, Array x, Array dx) = 0;
    /// The axis along which the vocabulary is cut.
    virtual const std::string& vocabulary_axis() const = 0;
    /// Axes along which tokens are, beside the replicas' (a loss is summed over them).
    virtual std::vector<std::string> token_axes() const { return {}; }

    /// The tokens of a step that effects read.
    StepTokens& step_tokens() { return *tokens_; }
    /// Whose tokens ops that follow work on, counted from 0.
    void set_microbatch(std::int64_t number) { microbatch_ = number; }

protected:
    using Work = model::Work;
    Array workspace(const std::string& name, Shape shape) const
    {
        return builder_.array("workspace." + name, shape, config_.dtype);
    }
    /// [rows x 1] of sums, in f32 at least.
    Array sums(const std::string& name, std::int64_t rows) const;
    std::string phase(const std::string& part) const
    {
        return builder_.section().pass + "." + part;
    }
    static model::Vector vector(std::int64_t elements, double operations, model::DType dtype);
    /// A vector op that sums its rows of `minor` numbers in the end.
    static model::Vector row_vector(std::int64_t elements, double operations, model::DType dtype,
                                    std::int64_t minor);
    model::DType sum_type() const
    {
        return config_.dtype == model::DType::f64 ? model::DType::f64 : model::DType::f32;
    }
    enum class ProductOf { forward, input_gradient, weight_gradient };
    /// What is fused with a product of a layer's weights, in the precision that the study asks for.
    StepBuilder::Fused fused_with(ProductOf what, Array bias = {}, Array column_sums = {}) const;
    /// A number that follows from the device: where its part begins.
    using FirstOf = std::function<std::int64_t(int device)>;
    // Rows of a table that is cut by tokens are looked up as a product with one-hot rows, made
    // where they are used: what SPMD partitioners need (flaxformer, Embed.one_hot).
    /// x += the rows of the tokens that stand in `table`, whose first token is first(device); or =.
    void look_up(Array table, const FirstOf& first, Array x, bool from_zero);
    /// What a table's gradient begins with: zeros, but from element at(device) on, unless that is
    /// negative, what stands in `seed`. Without a seed: zeros, or what it is already.
    struct GradientStart {
        Array seed = {};
        FirstOf at = {};
        bool from_zero = false;
    };
    /// The rows of `gradient` of the tokens that stand there += dx.
    void gradient_of_table(Array dx, Array gradient, const FirstOf& first,
                           const GradientStart& start);
    /// x[i] += positions[place of token first(device) + i in its sequence].
    void add_positions(Array positions, Array x, const FirstOf& first);
    void gradient_of_positions(Array dx, Array gradient, const FirstOf& first);
    /// The places of a device's tokens of one sequence.
    std::function<std::vector<std::int32_t>(int device)> positions_of() const
    {
        return [config = config_, layout = layout_](int device) {
            return token_positions(config, layout.place_of(device).sequence_part);
        };
    }

    const TransformerConfig& config_;
    StepBuilder& builder_;
    Layout layout_;
    ShardSizes sizes_;
    std::int64_t microbatch_ = 0;
    std::shared_ptr<StepTokens> tokens_ = std::make_shared<StepTokens>();
};

std::unique_ptr<Sharding> make_one_dimensional(const TransformerConfig& config,
                                               StepBuilder& builder);
std::unique_ptr<Sharding> make_two_dimensional(const TransformerConfig& config,
                                               StepBuilder& builder);
std::unique_ptr<Sharding> make_sharding(const TransformerConfig& config, StepBuilder& builder);

} // namespace alxsim::transformer
