// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/blocks/sharding.h"
#include "workloads/transformer/math/attention.h"
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::transformer {

/// The layers and other parameters of a model that a program works on, and how many microbatches
/// at most are between their forward and their backward.
struct ModelPart {
    std::int64_t layers = 0;
    std::vector<ParameterSpec> specs;
    std::int64_t microbatches = 1;
    bool has_embedding = true;
};

/// What the parts of a training step share: the builder, the parameters, a layer's arrays.
class StepParts {
public:
    /// Makes those of a whole model, with a builder of its own.
    explicit StepParts(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved);
    /// Makes those of a part; the builder outlives it.
    StepParts(const TransformerConfig& config, StepBuilder& builder, ModelPart part);
    StepParts(const StepParts&) = delete;
    StepParts& operator=(const StepParts&) = delete;

    const TransformerConfig& config() const { return config_; }
    const ModelSize& size() const { return config_.size; }
    const ModelPart& part() const { return part_; }
    const Layout& layout() const { return layout_; }
    StepBuilder& builder() { return builder_; }
    Sharding& sharding() { return *sharding_; }
    ParameterArrays& parameters() { return parameters_; }
    const ParameterArrays& parameters() const { return parameters_; }
    std::int64_t layers() const { return part_.layers; }
    /// Whose tokens and activations ops that follow work on, counted from 0.
    void set_microbatch(std::int64_t number)
    {
        sharding_->set_microbatch(number);
        microbatch_place_ = number % part_.microbatches;
    }
    /// "forward.attention"
    std::string phase(const std::string& part) const
    {
        return builder_.section().pass + "." + part;
    }

    /// Whether a layer's forward computes it: in the forward everything; `again`, for the backward,
    /// what that does not find.
    bool computes(Activations what, bool again) const
    {
        return !again || config_.recomputation.computes_again(what, config_.stores_scores());
    }
    /// A result of a layer's forward that belongs to `what`, and is kept or computed again with it.
    Array activation(Activations what, const std::string& name, Shape shape, std::int64_t layer);
    Array activation(Activations what, const std::string& name, Shape shape, std::int64_t layer,
                     model::DType dtype);
    /// The input of a layer; of `layers`: the last one's output.
    Array stream(std::int64_t layer);
    /// What a layer has made for the backward that is offloaded, to host memory; and back.
    void offload(std::int64_t layer);
    void bring_back(std::int64_t layer);
    /// The last layer's output, where the head waits for all microbatches to pass the layers.
    void offload_output();
    void bring_back_output();
    Array scratch(const std::string& name, Shape shape);
    model::DType sum_type() const; ///< of sums and logarithms: f32 at least

    Weight weight(const std::string& name, std::int64_t layer = -1) const
    {
        return parameters_.weight(name, layer);
    }
    /// A product with weight and bias of that name; `part`: of the phase.
    Sharding::Linear linear(const std::string& name, const std::string& part,
                            std::int64_t layer) const;
    /// y = norm(x); `layer` -1: the last one. `what`: to which y belongs.
    void norm(const std::string& name, const std::string& part, std::int64_t layer, Array x,
              Array y);
    /// dx += the gradient of x.
    void norm_backward(const std::string& name, const std::string& part, std::int64_t layer,
                       Array x, Array dy, Array dx);
    /// y = x + branch + bias.
    void add_residual(const std::string& part, const std::string& bias_name, std::int64_t layer,
                      Array x, Array branch, Array y);
    /// Sums up those of all microbatches, over all devices that have other tokens; of layers that
    /// are not summed up meanwhile.
    void sum_gradients();
    /// x = 0.
    void clear(const std::string& name, const std::string& part, Array x);
    /// Elementwise, or with a reduction of rows of `minor` numbers in the end.
    model::Vector vector(std::int64_t elements, double operations, std::int64_t minor = 0) const;

private:
    /// A place for each of so many arrays of every microbatch that is kept.
    StepBuilder::Storage kept(std::int64_t arrays, std::int64_t array) const
    {
        return {arrays * part_.microbatches, microbatch_place_ * arrays + array,
                model::Residency::hbm};
    }
    StepBuilder::Storage storage_of(Activations what, std::int64_t layer) const;
    Array noted(Activations what, const std::string& name, Array array);
    Array on_host(const std::string& name, Array like, StepBuilder::Storage storage);
    NormKept norm_kept(const std::string& name, std::int64_t layer, Array x);
    StepBuilder::Storage vector_storage(std::int64_t layer) const;

    TransformerConfig config_;
    Layout layout_;
    std::unique_ptr<StepBuilder> own_builder_; ///< null: it is another's
    StepBuilder& builder_;
    std::unique_ptr<Sharding> sharding_;
    ModelPart part_;
    std::int64_t microbatch_place_ = 0;
    ParameterArrays parameters_;
    /// Arrays of a layer that are offloaded, by name.
    std::map<std::string, std::pair<Shape, model::DType>> offloaded_;
};

/// Attention with its norm before, and the residual after it.
class AttentionBlock {
public:
    explicit AttentionBlock(StepParts& parts);

    /// From stream(layer) to output(layer).
    void forward(std::int64_t layer, bool again);
    /// dx: the gradient of output(layer), becomes that of stream(layer).
    void backward(std::int64_t layer, Array dx);
    Array output(std::int64_t layer);

    /// The parts of a forward around attention itself: from stream(layer) to qkv(layer), and from
    /// context_of(layer) to output(layer).
    void project(std::int64_t layer, bool again);
    void finish(std::int64_t layer, bool again);
    Array qkv(std::int64_t layer);
    Array context_of(std::int64_t layer);
    const AttentionShape& shape() const { return shape_; }

private:
    void prepare_keys(std::int64_t layer);
    void prepare_keys_backward(std::int64_t layer, Array dqkv);
    void probabilities(std::int64_t layer);
    void context(std::int64_t layer);
    void stored_backward(std::int64_t layer, Array dcontext, Array dqkv);
    void flash(std::int64_t layer);
    void flash_backward(std::int64_t layer, Array dcontext, Array dqkv);
    void ring(std::int64_t layer);
    void ring_backward(std::int64_t layer, Array dcontext, Array dqkv);
    void take_ring_keys(Array all);
    void meet_ring_keys(std::int64_t layer, int step);
    void pass_on(const std::string& name, int step);
    std::int64_t ring_pairs(int step) const;
    Array ring_block(const std::string& name, int step);
    Array ring_state(const std::string& name, Shape shape);
    Array product_of_qkv(std::int64_t layer);
    Array log_sums(std::int64_t layer);
    Array square(const std::string& name, std::int64_t layer);
    Shape square_shape() const;
    model::Matmul product(std::int64_t k, std::int64_t n) const;
    model::Vector softmax_work(bool forward) const;
    model::Custom kernel(double products, std::int64_t pairs) const;
    bool is_ring() const { return parts_.config().mesh.sequence > 1; }
    double query_share() const;
    using PositionsOf = std::function<std::vector<std::int32_t>(int device)>;
    PositionsOf positions() const;

    StepParts& parts_;
    StepBuilder& builder_;
    AttentionShape shape_;
};

/// What follows attention in a layer: from its output to the next layer's input.
class FeedForward {
public:
    virtual ~FeedForward() = default;
    /// From `middle` to stream(layer + 1). `again`: for the backward, which does not need that.
    virtual void forward(std::int64_t layer, Array middle, bool again) = 0;
    /// dx: the gradient of stream(layer + 1), becomes that of middle.
    virtual void backward(std::int64_t layer, Array middle, Array dx) = 0;
};

/// One MLP for all tokens.
std::unique_ptr<FeedForward> make_mlp(StepParts& parts);
/// A mixture of experts.
std::unique_ptr<FeedForward> make_experts(StepParts& parts);

/// Embedding, last norm, logits and loss.
class ModelEnds {
public:
    explicit ModelEnds(StepParts& parts);

    void embed();
    /// Token ids of the sequences that a device works on, as one of `readers` devices; targets are
    /// the same, one token later. A host reads its devices' part of the batch once.
    void feed(int readers);
    /// From the last layer's output to the loss of a microbatch, which is added to that of those
    /// before it, if it is not the first.
    void head(std::int64_t microbatch, bool is_first);
    /// dx: gradient of the last layer's output.
    void head_backward(Array dx);
    /// dx: gradient of the first layer's input.
    void embed_backward(Array dx);
    /// Names the table of the head's weights; and gathers them, unless they are the embedding's.
    std::string table() const;
    void gather_head();
    /// The mean loss of the step: on all devices, when all microbatches have been through.
    Array loss() const { return loss_; }
    void sum_loss();

private:
    /// Whether the embedding has another table, or is elsewhere.
    bool has_table_alone() const { return !parts_.size().tied || !parts_.part().has_embedding; }
    Array logits();
    void cross_entropy(std::int64_t microbatch, bool is_first);
    model::Vector over_logits(double operations, double exponentials);

    StepParts& parts_;
    StepBuilder& builder_;
    Array loss_;
};

} // namespace alxsim::transformer
