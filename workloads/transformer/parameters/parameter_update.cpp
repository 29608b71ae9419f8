// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/optimizers.h"
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <algorithm>

namespace alxsim::transformer {

std::vector<Array> Parameter::state() const
{
    std::vector<Array> all;
    for (const Array array : {mean, square, row_moment, column_moment}) {
        if (array.exists()) {
            all.push_back(array);
        }
    }
    return all;
}

/// `kept`: of what the device changes.
void ParameterArrays::declare_state(const ParameterOf& of, Shape kept, Parameter& parameter)
{
    const ParameterSpec& spec = *of.spec;
    const Storage storage = stored(spec, of.layer);
    const auto array = [&](const char* name, Shape shape, model::DType type) {
        return builder_.array("optimizer." + std::string(name) + "." + spec.name, shape, type,
                              storage);
    };
    if (config_.optimizer.kind == OptimizerKind::adam) {
        parameter.mean = array("mean", kept, moments_type());
        parameter.square = array("square", kept, moments_type());
    } else if (config_.optimizer.kind == OptimizerKind::adafactor && spec.rows > 1) {
        parameter.row_moment = array("row_moment", {1, cut_.rows_of(spec)}, state_type());
        parameter.column_moment = array("column_moment", {1, cut_.columns_of(spec)}, state_type());
    } else if (config_.optimizer.kind == OptimizerKind::adafactor) {
        parameter.square = array("square", kept, state_type());
    }
}

void ParameterArrays::optimize(const std::shared_ptr<int>& step)
{
    builder_.begin({"optimizer", "layers"});
    const std::string name = name_of_value(config_.optimizer.kind);
    std::map<std::int64_t, std::vector<ParameterOf>> by_layer;
    for (const ParameterOf& of : all_parameters(specs_, told_apart())) {
        by_layer[of.layer].push_back(of);
    }
    builder_.layers("optimizer", "optimizer", layers_, StepBuilder::Order::up,
                    [&](std::int64_t layer) { update(name, by_layer.at(layer), step); });
    if (by_layer.count(-1) != 0) { // not in the middle of a pipeline
        update(name + " of embeddings", by_layer.at(-1), step);
    }
}

void ParameterArrays::update(const std::string& name, const std::vector<ParameterOf>& parameters,
                             const std::shared_ptr<int>& step)
{
    if (config_.optimizer.kind == OptimizerKind::adafactor) {
        adafactor(name, parameters, step);
    } else {
        one_pass(name, parameters, step);
    }
    give_back(parameters);
}

/// Waits for whichever layer was summed last.
std::vector<Touch> ParameterArrays::waits_for_sums() const
{
    std::vector<Touch> all;
    if (sums_meanwhile() && !builder_.has_numbers()) {
        for (const Array array : layer_gradients_in_turn()) {
            all.emplace_back(array, 0.0);
        }
    }
    return all;
}

/// One pass over parameters, what the optimizer keeps of them, and their gradients.
void ParameterArrays::one_pass(const std::string& name, const std::vector<ParameterOf>& parameters,
                               const std::shared_ptr<int>& step)
{
    std::vector<Touch> reads;
    std::vector<Touch> writes;
    std::vector<Parameter> all;
    std::vector<std::int64_t> counts;
    model::Vector work;
    for (const ParameterOf& of : parameters) {
        const Parameter& one = parameter(of);
        reads.emplace_back(one.gradient);
        const std::vector<Array> state = one.state();
        for (std::vector<Touch>* const touched : {&reads, &writes}) {
            touched->emplace_back(one.master);
            touched->insert(touched->end(), state.begin(), state.end());
        }
        if (one.has_copy()) {
            writes.emplace_back(one.weight.value);
        }
        all.push_back(one);
        counts.push_back(builder_.shape(one.master).elements());
        work.elements += counts.back();
    }
    const std::vector<Touch> waits = waits_for_sums();
    reads.insert(reads.end(), waits.begin(), waits.end());
    const bool is_adam = config_.optimizer.kind == OptimizerKind::adam;
    work.ops_per_element = is_adam ? 16 : 2; // of Adam 14 cheap ones, a root and a division
    work.division_per_element = is_adam ? 2 : 0;
    builder_.compute(
        name, "optimizer", work, reads, writes,
        [=, options = config_.adam, rate = config_.optimizer.sgd_learning_rate](const auto& on) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Parameter& one = all[i];
                if (is_adam) {
                    adam(options, *step, on(one.gradient), counts[i], on(one.mean), on(one.square),
                         on(one.master));
                } else {
                    sgd(rate, on(one.gradient), counts[i], on(one.master));
                }
                if (one.has_copy()) {
                    std::copy_n(on(one.master), counts[i], on(one.weight.value));
                }
            }
        });
}

/// Every replica gets all of the weights whose parts they have changed.
void ParameterArrays::give_back(const std::vector<ParameterOf>& parameters)
{
    for (const ParameterOf& of : parameters) {
        const Parameter& one = parameter(of);
        const Pieces pieces = pieces_of(*of.spec);
        if (!pieces.cuts_state()) {
            continue;
        }
        Array changed = one.master;
        if (config_.dtype != master_type()) {
            changed = builder_.array("workspace.changed." + of.spec->name, {1, pieces.state},
                                     config_.dtype);
            model::Vector work;
            work.elements = pieces.state;
            builder_.compute(
                "weights in bf16", "optimizer", work, {one.master}, {changed},
                [=](const auto& on) { std::copy_n(on(one.master), pieces.state, on(changed)); });
        }
        builder_.collective(of.spec->name, model::CollectiveKind::all_gather, pieces.state_axes,
                            changed, one.flat);
    }
}

/// Where the part of a parameter that a device changes begins.
std::int64_t ParameterArrays::first_element(const Pieces& pieces, int device) const
{
    const auto place = [&](const std::vector<std::string>& axes) {
        std::int64_t at = 0;
        for (const std::string& one : axes) {
            at = at * layout_.length(one) + layout_.position(device, one);
        }
        return at;
    };
    return place(pieces.weight_axes) * pieces.shard + place(pieces.state_axes) * pieces.state;
}

std::vector<double> ParameterArrays::read(const Numbers& numbers, const ParameterOf& of,
                                          What what) const
{
    const Pieces pieces = pieces_of(*of.spec);
    const Parameter& one = parameter(of);
    const Array array = what == What::value ? one.master : one.gradient;
    std::map<int, std::vector<double>> of_place; // of devices with the same rows and columns
    std::map<int, int> device_of;
    for (int device = 0; device < layout_.devices(); ++device) {
        if (!numbers.has(array, device)) {
            continue; // it is of another stage
        }
        const int place = cut_.place_in_cut(*of.spec, device);
        std::vector<double>& whole = of_place[place];
        device_of.try_emplace(place, device);
        whole.resize(static_cast<std::size_t>(pieces.elements));
        const std::int64_t first = pieces.in_parts() ? first_element(pieces, device) : 0;
        const std::vector<double> values = numbers.read(array, device);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (const std::size_t at = static_cast<std::size_t>(first) + i; at < whole.size()) {
                whole[at] = values[i];
            }
        }
    }
    if (in_eight_bits(*of.spec)) {
        for (auto& [place, values] : of_place) {
            quantized(*of.spec).scale(cut_, numbers.read(one.weight.scales, device_of.at(place)),
                                      values);
        }
    }
    std::vector<double> all;
    for (const auto& [place, values] : of_place) {
        cut_.put_together(*of.spec, device_of.at(place), values, all);
    }
    return all;
}

void ParameterArrays::write(Numbers& numbers, const ParameterOf& of,
                            const std::vector<double>& whole) const
{
    if (!in_eight_bits(*of.spec)) {
        write_numbers(numbers, of, whole);
        return;
    }
    const QuantizedParameter form = quantized(*of.spec);
    const QuantizedParameter::Quantized all = form.quantized(whole);
    write_numbers(numbers, of, all.numbers);
    for (int device = 0; device < numbers.devices(); ++device) {
        if (numbers.has(parameter(of).master, device)) {
            numbers.write(parameter(of).weight.scales, device,
                          form.cut_scales(cut_, device, all.scales));
        }
    }
}

void ParameterArrays::write_numbers(Numbers& numbers, const ParameterOf& of,
                                    const std::vector<double>& whole) const
{
    const Pieces pieces = pieces_of(*of.spec);
    const Parameter& one = parameter(of);
    for (int device = 0; device < numbers.devices(); ++device) {
        if (!numbers.has(one.master, device)) {
            continue;
        }
        std::vector<double> values = cut_.cut(*of.spec, device, whole);
        values.resize(static_cast<std::size_t>(pieces.shard * group_size(pieces.weight_axes)));
        const auto part = [&](std::int64_t first, std::int64_t count) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
        };
        const std::int64_t first = pieces.in_parts() ? first_element(pieces, device) : 0;
        const std::int64_t count = builder_.shape(one.master).elements();
        numbers.write(one.master, device, part(first, count));
        if (builder_.dtype(one.master) == model::DType::bf16) {
            numbers.round_to_bf16({one.master}, device);
        }
        const Array copy = one.flat.exists() ? one.flat : one.weight.value;
        if (copy.exists() && copy.id != one.master.id) {
            const std::int64_t begin =
                one.flat.exists() && pieces.is_cut() ? first / pieces.shard * pieces.shard : 0;
            numbers.write(copy, device, part(begin, builder_.shape(copy).elements()));
            if (config_.dtype == model::DType::bf16) {
                numbers.round_to_bf16({copy}, device);
            }
        }
    }
}

std::vector<Array> ParameterArrays::kept_arrays() const
{
    std::vector<Array> arrays;
    for (const ParameterOf& of : all_parameters(specs_, told_apart())) {
        const Parameter& one = parameter(of);
        const std::vector<Array> state = one.state();
        arrays.push_back(one.master);
        arrays.insert(arrays.end(), state.begin(), state.end());
        const Array copy = one.flat.exists() ? one.flat : one.weight.value;
        if (copy.exists() && copy.id != one.master.id) {
            arrays.push_back(copy);
        }
    }
    return arrays;
}

} // namespace alxsim::transformer
