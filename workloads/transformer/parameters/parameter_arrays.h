// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/parameters/parameters.h"
#include "workloads/transformer/parameters/quantized_parameter.h"
#include "workloads/transformer/parameters/weight.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::transformer {

/// A parameter as a device has it, with what the optimizer keeps of it.
struct Parameter {
    /// As products take it. Where it is cut by fsdp: what is gathered of it, and all of its
    /// gradient, before that is summed up.
    Weight weight;
    Array flat;         ///< of a value whose state is cut: the same, filled up to equal parts
    Array fresh;        ///< the gradient of a microbatch, or this device's part of its sum
    Array summed;       ///< the same of all microbatches
    Array gradient;     ///< what the optimizer takes: the same, or a replica's part of it
    Array master;       ///< what the optimizer changes: weight.value, or in f32, or a part of it
    Array mean, square; ///< of Adam; of Adafactor the square of what is no matrix
    /// Adafactor's, of all that a device would have of a matrix if it were not cut in parts.
    Array row_moment, column_moment;

    /// Whether the weight itself is another array than what the optimizer changes, in fewer bits.
    bool has_copy() const
    {
        return weight.value.exists() && !flat.exists() && master.id != weight.value.id;
    }
    /// What the optimizer keeps beside the weights.
    std::vector<Array> state() const;
};

/// The parameters of a step: which arrays of a device they are, how they come together where they
/// are used, how their gradients are summed, and the optimizer's update.
///
/// Matrices may be cut over the devices that share their weights (fsdp, and expert but for experts'
/// own), element by element as they stand, filled up to equal parts; and what the optimizer keeps
/// of that over replicas (zero1). Norms and biases are never cut.
class ParameterArrays {
public:
    /// `layers` and `specs`: of a device. All else outlives this.
    ParameterArrays(const TransformerConfig& config, const Layout& layout, StepBuilder& builder,
                    std::int64_t layers, std::vector<ParameterSpec> specs);

    const std::vector<ParameterSpec>& specs() const { return specs_; }
    const ParameterCut& cut() const { return cut_; }
    /// Empty arrays for one that the model does not have. `layer` -1: of none.
    Weight weight(const std::string& name, std::int64_t layer = -1) const;
    const Parameter& parameter(const ParameterOf& of) const;
    /// Returns that of one of no layer, as this device has the sum of all microbatches.
    Array summed_gradient(const std::string& name) const
    {
        return parameters_.at({name, -1}).summed;
    }
    /// Returns those of all norms of tokens, in one array.
    Array norm_gradients() const { return vectors_.at(ParameterRole::norm).summed; }

    /// Whether weights are gathered before they are used.
    bool gathers() const { return config_.weight_parts() > 1; }
    /// How a loop over layers that uses `first` first gathers their matrices, if they are gathered:
    /// that one while the layer before computes, the others as the layer begins.
    StepBuilder::LayerParts gathers_of_layers(const std::string& first);
    void gather(const std::string& name); ///< of no layer
    /// The last of a layer's backward: scattered while the next one's runs.
    static constexpr const char* last_gradient = "qkv.w";
    /// Sums a matrix's gradient up over the devices among which it is cut, if it is.
    void scatter(const std::string& name, std::int64_t layer = -1);

    /// Adds the gradients of a microbatch, counted from 0, to those before.
    void accumulate(std::int64_t microbatch);

    /// Over replicas, and devices that have other tokens of the same sequences: a layer's matrices.
    void sum_replicas(std::int64_t layer);
    /// Everything else.
    void sum_remaining();
    bool has_replicas() const
    {
        return !replica_axes().empty() ||
               (config_.optimizer_sharding == OptimizerSharding::zero1 && config_.mesh.data > 1);
    }
    /// Whether replicas' sums of a layer run while the backward of another does.
    bool sums_meanwhile() const;

    /// The optimizer's step of the number that `step` holds when it runs.
    void optimize(const std::shared_ptr<int>& step);

    /// Values of a whole parameter from and to the devices' arrays; those in 8 bits are rounded.
    enum class What { value, gradient };
    std::vector<double> read(const Numbers& numbers, const ParameterOf& of, What what) const;
    void write(Numbers& numbers, const ParameterOf& of, const std::vector<double>& whole) const;
    /// What a step leaves for the next.
    std::vector<Array> kept_arrays() const;

private:
    using Storage = StepBuilder::Storage;
    using Key = std::pair<std::string, std::int64_t>; ///< name, layer

    /// How a parameter is cut beside its sharding: element by element.
    struct Pieces {
        std::vector<std::string> weight_axes; ///< over which it is gathered
        std::vector<std::string> state_axes;  ///< over which the optimizer's state of that is cut
        std::int64_t elements = 0;            ///< of a device's whole
        std::int64_t shard = 0;               ///< gathered along weight_axes
        std::int64_t state = 0;               ///< of that
        bool is_cut() const { return !weight_axes.empty(); }
        bool cuts_state() const { return !state_axes.empty(); }
        bool in_parts() const { return is_cut() || cuts_state(); }
        std::int64_t held() const { return in_parts() ? shard : elements; }
    };
    Pieces pieces_of(const ParameterSpec& spec) const;
    Storage stored(const ParameterSpec& spec, std::int64_t layer) const;
    std::int64_t group_size(const std::vector<std::string>& axes) const;
    std::vector<std::string> replica_axes() const;
    bool is_vector(const ParameterSpec& spec) const;
    std::vector<const ParameterSpec*> matrices_of_layers() const;

    /// Gradients of a microbatch, and of all; the same array where there is one microbatch.
    struct Gradients {
        Array fresh, summed;
    };
    Gradients gradients(const std::string& name, Shape shape, const Storage& storage) const;
    void add_up(const std::string& name, const std::vector<Gradients>& all,
                std::int64_t microbatch);

    void declare_gradients();
    void declare(const ParameterOf& of);
    void declare_weight(const ParameterOf& of);
    /// Whether a model that serves keeps it in 8 bits, with scales beside it.
    bool in_eight_bits(const ParameterSpec& spec) const
    {
        return QuantizedParameter::is_one(spec.role) &&
               config_.layer_weight_type() != config_.dtype;
    }
    model::DType weight_type(const ParameterSpec& spec) const
    {
        return in_eight_bits(spec) ? config_.layer_weight_type() : config_.dtype;
    }
    QuantizedParameter quantized(const ParameterSpec& spec) const;
    void write_numbers(Numbers& numbers, const ParameterOf& of,
                       const std::vector<double>& whole) const;
    void declare_state(const ParameterOf& of, Shape kept, Parameter& parameter);
    Array whole_gradient(const ParameterSpec& spec, Array fresh) const;
    std::vector<Array> layer_gradients_in_turn() const;
    Weight working(const ParameterSpec& spec, std::int64_t layer) const;
    Gradients layer_gradients(std::int64_t layer) const;
    Gradients of_layer(const ParameterSpec& spec, std::int64_t layer, Shape shape) const;
    Array flat_working(const std::string& what, const ParameterSpec& spec,
                       std::int64_t layer) const;
    Array shard_of(const ParameterSpec& spec, std::int64_t layer) const;
    Gradients vector_gradient(const ParameterSpec& spec, std::int64_t layer);
    void gather_all(const std::vector<const ParameterSpec*>& specs, std::int64_t layer);
    void update(const std::string& name, const std::vector<ParameterOf>& parameters,
                const std::shared_ptr<int>& step);
    void one_pass(const std::string& name, const std::vector<ParameterOf>& parameters,
                  const std::shared_ptr<int>& step);
    void adafactor(const std::string& name, const std::vector<ParameterOf>& parameters,
                   const std::shared_ptr<int>& step);
    std::vector<Touch> waits_for_sums() const;
    void give_back(const std::vector<ParameterOf>& parameters);
    void sum_over_replicas(const std::vector<const ParameterSpec*>& specs, std::int64_t layer);
    Array state_gradient(const ParameterSpec& spec, std::int64_t layer) const;
    std::int64_t first_element(const Pieces& pieces, int device) const;
    const ParameterSpec& spec_of(const std::string& name) const;

    std::int64_t told_apart() const { return builder_.has_numbers() ? layers_ : 1; }
    std::int64_t known(std::int64_t layer) const { return std::min(layer, told_apart() - 1); }
    model::DType state_type() const; ///< of moments and masters that are not asked for in bf16
    model::DType master_type() const;
    model::DType moments_type() const;

    const TransformerConfig& config_;
    const Layout& layout_;
    StepBuilder& builder_;
    std::int64_t layers_;
    std::vector<ParameterSpec> specs_;
    ParameterCut cut_;
    std::map<Key, Parameter> parameters_;
    std::string gathered_ahead_;      ///< of a layer's matrices, in the loop under way
    std::int64_t flat_gradients_ = 0; ///< elements of the gradients of a layer's matrices
    std::map<std::string, std::int64_t> flat_first_; ///< where a matrix begins there
    /// Gradients of norms, of head norms, and (into_bias) of all biases, each in one array.
    std::map<ParameterRole, Gradients> vectors_;
    std::map<ParameterRole, std::int64_t> vectors_used_; ///< elements of these
};

} // namespace alxsim::transformer
