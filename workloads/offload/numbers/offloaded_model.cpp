// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/numbers/offloaded_model.h"

#include "workloads/offload/numbers/stored_numbers.h"
#include "workloads/transformer/layer_math.h"
#include "workloads/transformer/math/optimizers.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace alxsim::offload {
namespace {

using transformer::ParameterOf;

/// Parameters that one thread changes at once.
constexpr std::int64_t parameters_a_chunk = 16384;

/// The last is of what stays in HBM.
std::size_t group_of(const ParameterOf& of, std::size_t groups)
{
    return of.layer < 0 ? groups - 1 : static_cast<std::size_t>(of.layer);
}

std::vector<ParameterGroup> groups_of(const std::vector<ParameterOf>& parameters,
                                      std::int64_t layers)
{
    std::vector<ParameterGroup> groups(static_cast<std::size_t>(layers) + 1);
    for (const ParameterOf& of : parameters) {
        ParameterGroup& group = groups[group_of(of, groups.size())];
        group.parameters.push_back(of);
        group.elements += static_cast<std::size_t>(of.spec->elements());
    }
    return groups;
}

std::size_t size_of(const ParameterOf& of)
{
    return static_cast<std::size_t>(of.spec->elements());
}

} // namespace

OffloadedModel::OffloadedModel(const OffloadConfig& config, OptimizerOrder order,
                               const std::string& store, bool exists)
    : config_(config),
      order_(std::move(order)),
      types_(config.model),
      model_(config.model),
      groups_(groups_of(model_.parameters(), config.model.size.layers)),
      tensors_(config_, groups_, store, exists)
{
    if (!exists) {
        begin();
    }
    const std::size_t last = groups_.size() - 1;
    in_hbm_ = read(last);
    wait(in_hbm_);
    if (tensors_.has(What::gradient) && steps() > 0) {
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            MovedTensor tensor = tensors_.read(What::gradient, group);
            tensor.wait();
            late_.push_back(numbers(tensor, What::gradient, group));
        }
    }
}

/// The model's own first parameters, moments 0.
void OffloadedModel::begin()
{
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        std::vector<double> values;
        for (const ParameterOf& of : groups_[group].parameters) {
            const std::vector<double> one = model_.value(of);
            values.insert(values.end(), one.begin(), one.end());
        }
        const auto store = [&](What what, model::DType type) {
            MovedTensor tensor;
            tensor.bytes = AlignedBytes(tensors_.bytes(what, group));
            if (type == model::DType::f64) {
                store_numbers(values, type, tensor.bytes.data());
            } else {
                store_numbers(std::vector<float>(values.begin(), values.end()), type,
                              tensor.bytes.data());
            }
            tensors_.write(what, group, tensor);
            tensor.wait();
        };
        store(What::master, types_.master);
        if (tensors_.has(What::weights)) {
            store(What::weights, types_.weight);
        }
    }
    tensors_.commit(0, std::nullopt);
}

std::vector<double> OffloadedModel::numbers(const MovedTensor& tensor, What what,
                                            std::size_t group) const
{
    const std::size_t count = groups_[group].elements;
    const model::DType type = what == What::master ? types_.master : types_.weight;
    if (type == model::DType::f64) {
        return numbers_in<double>(tensor.bytes.data(), count, type);
    }
    const std::vector<float> values = numbers_in<float>(tensor.bytes.data(), count, type);
    return {values.begin(), values.end()};
}

void OffloadedModel::set(std::size_t group, const std::vector<double>& values)
{
    auto at = values.begin();
    for (const ParameterOf& of : groups_[group].parameters) {
        const auto end = at + static_cast<std::ptrdiff_t>(size_of(of));
        model_.set(of, std::vector<double>(at, end));
        at = end;
    }
}

/// As many layers ahead as are fetched.
void OffloadedModel::load_weights()
{
    const What what = tensors_.has(What::weights) ? What::weights : What::master;
    const std::size_t layers = groups_.size() - 1;
    std::deque<MovedTensor> ahead;
    std::size_t next = 0;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        while (next < layers && ahead.size() < static_cast<std::size_t>(config_.prefetch)) {
            ahead.push_back(tensors_.read(what, next++));
        }
        ahead.front().wait();
        set(layer, numbers(ahead.front(), what, layer));
        ahead.pop_front();
    }
    set(layers, numbers(what == What::weights ? in_hbm_.weights : in_hbm_.master, what, layers));
}

OffloadedModel::Gradients OffloadedModel::gradients() const
{
    Gradients all;
    for (const ParameterGroup& group : groups_) {
        std::vector<double>& of_group = all.emplace_back();
        for (const ParameterOf& of : group.parameters) {
            const std::vector<double> one = model_.gradient(of);
            of_group.insert(of_group.end(), one.begin(), one.end());
        }
    }
    return all;
}

/// For a run that goes on after this step.
void OffloadedModel::keep(const Gradients& gradients)
{
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        MovedTensor tensor;
        tensor.bytes = AlignedBytes(tensors_.bytes(What::gradient, group));
        if (types_.weight == model::DType::f64) {
            store_numbers(gradients[group], types_.weight, tensor.bytes.data());
        } else {
            store_numbers(std::vector<float>(gradients[group].begin(), gradients[group].end()),
                          types_.weight, tensor.bytes.data());
        }
        tensors_.write(What::gradient, group, tensor);
        tensor.wait();
    }
}

double OffloadedModel::train(const transformer::StepTokens& tokens, HostPool& pool)
{
    const int step = steps() + 1;
    load_weights();
    const double loss = model_.differentiate(step, tokens, pool);
    Gradients gradients = this->gradients();
    if (config_.schedule == Schedule::stale) {
        std::swap(gradients, late_);
        if (!gradients.empty()) {
            optimize(gradients, step - 1, pool);
        }
        keep(late_);
    } else {
        optimize(gradients, step, pool);
    }
    tensors_.commit(step, loss);
    return loss;
}

/// By what all gradients are multiplied.
double OffloadedModel::clip(const Gradients& gradients) const
{
    if (!config_.clip_norm) {
        return 1;
    }
    double squares = 0;
    for (const std::vector<double>& group : gradients) {
        for (const double gradient : group) {
            squares += gradient * gradient;
        }
    }
    const double norm = std::sqrt(squares);
    return norm > *config_.clip_norm ? *config_.clip_norm / norm : 1;
}

void OffloadedModel::optimize(const Gradients& gradients, int number, HostPool& pool)
{
    const double scale = clip(gradients);
    const std::size_t last = groups_.size() - 1;
    update(last, in_hbm_, gradients[last], scale, number, pool);
    write(last, in_hbm_);
    for (const OptimizerTask& task : order_) {
        const auto layer = static_cast<std::size_t>(task.layer);
        if (task.part == OptimizerPart::read) {
            make_room();
            in_memory_.emplace(layer, read(layer));
        } else if (task.part == OptimizerPart::update) {
            wait(in_memory_.at(layer));
            update(layer, in_memory_.at(layer), gradients[layer], scale, number, pool);
        } else {
            write(layer, in_memory_.at(layer));
            being_written_.push_back(layer);
        }
    }
    for (auto& [layer, state] : in_memory_) {
        wait(state);
    }
    in_memory_.clear();
    being_written_.clear();
    wait(in_hbm_);
}

/// A layer leaves memory when it has been written.
void OffloadedModel::make_room()
{
    while (in_memory_.size() >= static_cast<std::size_t>(config_.buffers)) {
        if (being_written_.empty()) {
            throw std::logic_error(
                "an order of the optimizer that takes more buffers than there are");
        }
        const std::size_t layer = being_written_.front();
        being_written_.pop_front();
        wait(in_memory_.at(layer));
        in_memory_.erase(layer);
    }
}

OffloadedModel::State OffloadedModel::read(std::size_t group)
{
    State state;
    state.master = tensors_.read(What::master, group);
    if (tensors_.has(What::moments)) {
        state.moments = tensors_.read(What::moments, group);
    }
    if (tensors_.has(What::weights)) { // of a layer the update makes them
        if (group + 1 == groups_.size()) {
            state.weights = tensors_.read(What::weights, group);
        } else {
            state.weights.bytes = AlignedBytes(tensors_.bytes(What::weights, group));
        }
    }
    return state;
}

void OffloadedModel::write(std::size_t group, State& state)
{
    tensors_.write(What::master, group, state.master);
    if (tensors_.has(What::moments)) {
        tensors_.write(What::moments, group, state.moments);
    }
    if (tensors_.has(What::weights)) {
        tensors_.write(What::weights, group, state.weights);
    }
}

void OffloadedModel::wait(State& state)
{
    state.master.wait();
    state.moments.wait();
    state.weights.wait();
}

void OffloadedModel::update(std::size_t group, State& state, const std::vector<double>& gradient,
                            double scale, int number, HostPool& pool) const
{
    if (types_.weight == model::DType::f64) {
        update<double>(group, state, gradient, scale, number, pool);
    } else {
        update<float>(group, state, gradient, scale, number, pool);
    }
}

template <class Real>
void OffloadedModel::update(std::size_t group, State& state, const std::vector<double>& gradient,
                            double scale, int number, HostPool& pool) const
{
    const std::size_t count = groups_[group].elements;
    std::vector<Real> weights = numbers_in<Real>(state.master.bytes.data(), count, types_.master);
    std::vector<Real> moments =
        numbers_in<Real>(state.moments.bytes.data(),
                         count * static_cast<std::size_t>(types_.moments), types_.moment);
    std::vector<Real> slope(count);
    for (std::size_t i = 0; i < count; ++i) {
        slope[i] = static_cast<Real>(gradient[i] * scale);
    }
    pool.for_chunks(static_cast<std::int64_t>(count), parameters_a_chunk,
                    [&](std::int64_t begin, std::int64_t end) {
                        Real* const changed = weights.data() + begin;
                        const Real* const by = slope.data() + begin;
                        if (types_.moments > 0) {
                            Real* const mean = moments.data() + begin;
                            transformer::adam(config_.model.adam, number, by, end - begin, mean,
                                              mean + count, changed);
                        } else {
                            transformer::sgd(config_.model.optimizer.sgd_learning_rate, by,
                                             end - begin, changed);
                        }
                    });
    store_numbers(weights, types_.master, state.master.bytes.data());
    store_numbers(moments, types_.moment, state.moments.bytes.data());
    if (types_.has_copy()) {
        store_numbers(weights, types_.weight, state.weights.bytes.data());
    }
}

std::vector<std::vector<double>> OffloadedModel::values()
{
    std::vector<std::vector<std::size_t>> places(groups_.size()); // of a group's parameters
    for (std::size_t i = 0; i < parameters().size(); ++i) {
        places[group_of(parameters()[i], groups_.size())].push_back(i);
    }
    std::vector<std::vector<double>> values(parameters().size());
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        MovedTensor tensor = tensors_.read(What::master, group);
        tensor.wait();
        const std::vector<double> all = numbers(tensor, What::master, group);
        auto at = all.begin();
        for (const std::size_t place : places[group]) {
            const auto end = at + static_cast<std::ptrdiff_t>(size_of(parameters()[place]));
            values[place].assign(at, end);
            at = end;
        }
    }
    return values;
}

} // namespace alxsim::offload
