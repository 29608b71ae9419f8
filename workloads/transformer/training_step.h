// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/sharding.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::transformer {

/// A parameter as a device has it, with what the optimizer keeps of it.
struct Parameter {
    Weight weight;
    Array master; ///< what Adam changes; the weight itself unless that is stored in bf16
    Array mean, square;
};

/// One training step: forward, backward, the replicas' sum of gradients, Adam. With numbers its ops
/// compute them; without, layers are repeats, for time and memory alone.
class TrainingStep {
public:
    TrainingStep(const TransformerConfig& config, int devices, Numbers* numbers = nullptr,
                 MovedCounts* moved = nullptr);

    const std::shared_ptr<const model::OpGraph>& graph() const { return graph_; }
    const std::vector<CollectiveUse>& collectives() const { return builder_.collectives(); }
    const Layout& layout() const { return layout_; }
    const ParameterCut& cut() const { return cut_; }
    const std::vector<ParameterSpec>& specs() const { return specs_; }
    const Parameter& parameter(const ParameterOf& of) const;
    /// What the next step reads: its tokens, and its number, counted from 1.
    StepTokens& tokens() { return sharding_->step_tokens(); }
    void set_step(int step) { *step_ = step; }
    /// Where the mean loss of the last step stands, on all devices.
    Array loss() const { return loss_; }

private:
    void declare_parameters();
    void feed();
    void forward();
    void forward_layer(std::int64_t layer, bool again);
    void add_residual(const std::string& part, const std::string& bias_name, std::int64_t layer,
                      Array x, Array branch, Array y);
    void clear(Array x);
    void loss_and_its_gradient();
    void backward();
    void backward_layer(std::int64_t layer);
    void attention(std::int64_t layer);
    void attention_probabilities(std::int64_t layer);
    model::Matmul attention_product(std::int64_t k, std::int64_t n) const;
    model::Vector softmax_work(bool forward) const;
    void attention_backward(std::int64_t layer, Array dcontext, Array dqkv);
    void sum_replicas(std::int64_t layer, bool of_layer_above);
    void sum_remaining_replicas();
    void optimize();
    void update(const std::string& name, const std::vector<ParameterOf>& parameters);

    /// Activations of a layer that are kept, or computed again.
    StepBuilder::Storage kept(std::int64_t layer, bool recomputed) const;
    Array activation(const std::string& name, Shape shape, std::int64_t layer,
                     bool of_attention = false);
    Array stream(std::int64_t layer); ///< the input of a layer; of `layers`: the last one's output
    Array scratch(const std::string& name, Shape shape);
    Weight weight(const std::string& name, std::int64_t layer = -1) const;
    Sharding::Linear linear(const std::string& name, const std::string& part,
                            std::int64_t layer) const;
    NormKept norm_kept(const std::string& name, std::int64_t layer);
    void norm(const std::string& name, const std::string& part, std::int64_t layer, Array x,
              Array y);
    void norm_backward(const std::string& name, const std::string& part, std::int64_t layer,
                       Array x, Array dy, Array dx);
    std::string phase(const std::string& part) const
    {
        return builder_.section().pass + "." + part;
    }
    std::int64_t layers() const { return config_.size.layers; }
    /// Without numbers one layer stands for all.
    std::int64_t told_apart() const { return builder_.has_numbers() ? layers() : 1; }
    std::int64_t known(std::int64_t layer) const { return std::min(layer, told_apart() - 1); }
    Heads heads() const;

    TransformerConfig config_;
    int devices_;
    Layout layout_;
    StepBuilder builder_;
    std::unique_ptr<Sharding> sharding_;
    std::vector<ParameterSpec> specs_;
    ParameterCut cut_;
    std::map<std::pair<std::string, std::int64_t>, Parameter> parameters_; ///< name, layer
    std::map<std::int64_t, Array> layer_gradients_; ///< [layer]: all of its parameters, flat
    Array above_gradients_;                         ///< without numbers: the layer above's
    Array norm_gradients_;
    Array loss_;
    std::shared_ptr<int> step_ = std::make_shared<int>(1);
    std::shared_ptr<const model::OpGraph> graph_;
};

} // namespace alxsim::transformer
