// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema/value_names.h"

#include <array>
#include <cstdint>
#include <vector>

namespace alxsim::transformer {

/// What stands between the products of an MLP; gelu in its tanh form.
enum class Activation { gelu, relu, silu };
constexpr std::array<ValueName<Activation>, 3> value_names(Activation /*any*/)
{
    return {{{"gelu", Activation::gelu}, {"relu", Activation::relu}, {"silu", Activation::silu}}};
}

/// layer: mean and deviation, with gamma and beta; rms: root mean square, with gamma alone (Zhang
/// and Sennrich 2019).
enum class NormKind { layer, rms };
constexpr std::array<ValueName<NormKind>, 2> value_names(NormKind /*any*/)
{
    return {{{"layer", NormKind::layer}, {"rms", NormKind::rms}}};
}

/// learned: a row of a table is added to each token; rotary: queries and keys are turned (Su et al.
/// 2021), number i of the first half of a head with number i of the second.
enum class Positions { learned, rotary };
constexpr std::array<ValueName<Positions>, 2> value_names(Positions /*any*/)
{
    return {{{"learned", Positions::learned}, {"rotary", Positions::rotary}}};
}

/// Which products have a bias.
enum class Biases { all, qkv, none };
constexpr std::array<ValueName<Biases>, 3> value_names(Biases /*any*/)
{
    return {{{"all", Biases::all}, {"qkv", Biases::qkv}, {"none", Biases::none}}};
}

/// How many of a step's tokens go to which experts, where no numbers say it.
enum class RoutingKind {
    trained,  ///< nearly as many to each: the largest device's share is uncertain
    balanced, ///< as many to each
    text      ///< counted, of a router of random numbers over a text's bytes
};
constexpr std::array<ValueName<RoutingKind>, 3> value_names(RoutingKind /*any*/)
{
    return {{{"trained", RoutingKind::trained},
             {"balanced", RoutingKind::balanced},
             {"text", RoutingKind::text}}};
}

/// A mixture of experts in the place of an MLP: each token goes to `per_token` of `count`, weighted
/// by the softmax of their router logits.
struct Experts {
    std::int64_t count = 0; ///< 0: one MLP for all tokens
    std::int64_t per_token = 1;
    std::int64_t width = 0; ///< of an expert's MLP
    /// An expert takes ceil(capacity s per_token / count) tokens of a sequence of s, the first
    /// ones; 0: all that come.
    double capacity = 0;
    RoutingKind routing = RoutingKind::trained;
    bool exist() const { return count > 0; }
};

/// Rows that come to the experts of a device, of those among which experts are dealt, over the mean
/// of all of them.
struct ExpertLoads {
    double largest = 1;
    std::vector<double> of_devices = {}; ///< of each, in order; empty: not known
};

/// A decoder-only transformer. What is 0 follows from other sizes, as in GPT-2.
struct ModelSize {
    std::int64_t layers = 0, hidden = 0, heads = 0;
    std::int64_t vocabulary = 0; ///< tokens, padded
    std::int64_t sequence = 0;   ///< tokens of one
    std::int64_t kv_heads = 0;   ///< 0: as many as heads
    std::int64_t head_size = 0;  ///< 0: hidden / heads
    std::int64_t mlp_width = 0;  ///< 0: 4 hidden
    bool gated = false;          ///< activation(x W_gate) * (x W_up) in place of activation(x W)
    Activation activation = Activation::gelu;
    NormKind norm = NormKind::layer;
    Positions positions = Positions::learned;
    double rope_theta = 1e4; ///< number i of a head of d turns by position theta^(-2i/d)
    Biases biases = Biases::all;
    bool qk_norm = false; ///< queries and keys are normalized (rms) head by head before they turn
    bool tied = true;     ///< the head multiplies with the table of token embeddings
    std::int64_t window = 0;  ///< tokens that one attends to, itself among them; 0: all before it
    std::int64_t padding = 0; ///< of the vocabulary: rows that stand for no token
    Experts experts = {};

    std::int64_t keys() const { return kv_heads > 0 ? kv_heads : heads; }
    std::int64_t head_width() const { return head_size > 0 ? head_size : hidden / heads; }
    std::int64_t query_width() const { return heads * head_width(); }
    std::int64_t key_width() const { return keys() * head_width(); } ///< of values, too
    std::int64_t qkv_width() const { return query_width() + 2 * key_width(); }
    /// Returns the width of the MLP, or of one expert's.
    std::int64_t inner_width() const
    {
        return experts.exist() ? experts.width : mlp_width > 0 ? mlp_width : 4 * hidden;
    }
    /// What the first product of an MLP yields: gate and up side by side, or one.
    std::int64_t fc1_width() const { return inner_width() * (gated ? 2 : 1); }

    /// Numbers of the model; rows of the vocabulary that are padding are not counted.
    std::int64_t parameters() const;
    /// The same with the experts that a token goes to in place of all of them.
    std::int64_t active_parameters() const;
};

} // namespace alxsim::transformer
