// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../tiny_reference.h"
#include "gradient_check.h"
#include "workloads/transformer/math/attention.h"

#include <map>
#include <string>

namespace alxsim::transformer {

/// Keys and values of a layer that a decode keeps, [sequence]: rows [k | v].
using KeyCache = std::vector<Doubles>;

/// A model (rms norms, rotary positions, no experts, biases of qkv at most) whose step is written
/// out of the functions of workloads/transformer/math, on one device, in f64.
class ModelOfParts {
public:
    /// With the reference's initial values.
    explicit ModelOfParts(const TinyReference& reference);

    const ModelSize& size() const { return size_; }
    /// Computes from tokens [sequences x length] logits [sequences length x V]. With caches, one of
    /// each layer, these tokens come after those in it, and join them.
    Doubles logits(const std::vector<std::int32_t>& tokens,
                   std::vector<KeyCache>* caches = nullptr);
    /// Mean cross entropy; leaves all gradients.
    double loss(const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& targets);

    /// In the order of all_parameters.
    const std::vector<std::string>& names() const { return names_; }
    const Doubles& gradient(const std::string& name) const { return gradients_.at(name); }

private:
    struct Kept {
        Doubles input, normal1, raw, qkv, context, log_sums, middle, normal2, before, after;
    };
    AttentionShape attention_shape() const;
    Doubles normalized(const std::string& gamma, const Doubles& x) const;
    void add_normalized_backward(const std::string& gamma, const Doubles& x, const Doubles& dy,
                                 Doubles& dx);
    /// x W, and its gradients: that of W is set.
    Doubles times(const Doubles& x, const std::string& weights) const;
    Doubles times_backward(const Doubles& x, const Doubles& dy, const std::string& weights);
    void attend(KeyCache* cache, Kept& kept) const;
    Doubles attend_backward(const std::string& layer, const Kept& kept, const Doubles& dcontext);
    Doubles layer_forward(const std::string& layer, Doubles x, KeyCache* cache);
    void layer_backward(const std::string& layer, Doubles& dx);
    std::string head() const { return size_.tied ? "wte" : "head.w"; }

    ModelSize size_;
    std::int64_t sequences_ = 0;
    std::vector<std::int32_t> positions_; ///< of the tokens of a sequence that are worked on
    std::vector<std::string> names_;
    std::map<std::string, std::int64_t> rows_;
    std::map<std::string, Doubles> weights_, gradients_;
    std::map<std::string, Kept> kept_; ///< of each layer
    Doubles last_, final_;
};

} // namespace alxsim::transformer
