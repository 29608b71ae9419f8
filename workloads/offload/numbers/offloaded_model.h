// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "workloads/offload/numbers/layer_tensors.h"
#include "workloads/offload/schedule/optimizer_order.h"
#include "workloads/transformer/model_numbers.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace alxsim::offload {

/// Returns the model that finds gradients: moments are in the store alone.
transformer::TransformerConfig without_moments(transformer::TransformerConfig config);

/// A model whose layers stand in a file, trained step by step: weights come from there, the device
/// finds loss and gradients, and the optimizer changes layer after layer, in the schedule's order,
/// with no more of them in memory than there are buffers. What stays in HBM is in the file, too,
/// for a run that goes on after a kill.
class OffloadedModel {
public:
    /// `store`: the file, which is made anew unless it `exists`. Throws InputError for one that is
    /// damaged or of another model, and where there is no room.
    OffloadedModel(const OffloadConfig& config, OptimizerOrder order, const std::string& store,
                   bool exists);

    /// Steps that are done, and the loss of each before its update.
    int steps() const { return tensors_.steps(); }
    double loss(int step) const { return tensors_.loss(step); }
    /// Does the next one. Returns its loss.
    double train(const transformer::StepTokens& tokens, HostPool& pool);

    const transformer::Layout& layout() const { return model_.layout(); }
    const std::vector<transformer::ParameterOf>& parameters() const { return model_.parameters(); }
    /// Returns those of all parameters, in their order, as the optimizer has them.
    std::vector<std::vector<double>> values();

private:
    using What = LayerTensors::What;
    using Gradients = std::vector<std::vector<double>>; ///< [group]

    /// What the optimizer changes of a group.
    struct State {
        MovedTensor master, moments, weights;
    };

    void begin();
    void load_weights();
    void set(std::size_t group, const std::vector<double>& values);
    std::vector<double> numbers(const MovedTensor& tensor, What what, std::size_t group) const;
    Gradients gradients() const;
    void keep(const Gradients& gradients);
    double clip(const Gradients& gradients) const;
    void optimize(const Gradients& gradients, int number, HostPool& pool);

    State read(std::size_t group);
    void write(std::size_t group, State& state);
    static void wait(State& state);
    void make_room();
    template <class Real>
    void update(std::size_t group, State& state, const std::vector<double>& gradient, double scale,
                int number, HostPool& pool) const;
    void update(std::size_t group, State& state, const std::vector<double>& gradient, double scale,
                int number, HostPool& pool) const;

    OffloadConfig config_;
    OptimizerOrder order_;
    StateTypes types_;
    transformer::ModelNumbers model_;
    std::vector<ParameterGroup> groups_; ///< layers, and last what stays in HBM
    LayerTensors tensors_;
    State in_hbm_;
    Gradients late_; ///< of the step before, which has not been applied; empty: there is none
    std::map<std::size_t, State> in_memory_;
    std::deque<std::size_t> being_written_;
};

} // namespace alxsim::offload
