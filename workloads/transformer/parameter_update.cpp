// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/optimizers.h"
#include "workloads/transformer/parameter_arrays.h"

#include <algorithm>

namespace alxsim::transformer {

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
    update(name + " of embeddings", by_layer.at(-1), step);
}

/// One pass over parameters, what the optimizer keeps of them, and their gradients.
void ParameterArrays::update(const std::string& name, const std::vector<ParameterOf>& parameters,
                             const std::shared_ptr<int>& step)
{
    std::vector<Touch> reads;
    std::vector<Touch> writes;
    std::vector<Parameter> all;
    std::vector<std::int64_t> counts;
    model::Vector work;
    const auto has_copy = [](const Parameter& one) { // the weight itself, in fewer bits
        return one.weight.value.exists() && !one.flat.exists() &&
               one.master.id != one.weight.value.id;
    };
    for (const ParameterOf& of : parameters) {
        const Parameter& one = parameter(of);
        reads.emplace_back(one.gradient);
        for (const Array array : {one.master, one.mean, one.square}) {
            if (array.exists()) {
                reads.emplace_back(array);
                writes.emplace_back(array);
            }
        }
        if (has_copy(one)) {
            writes.emplace_back(one.weight.value);
        }
        all.push_back(one);
        counts.push_back(builder_.shape(one.master).elements());
        work.elements += counts.back();
    }
    if (sums_meanwhile() && !builder_.has_numbers()) { // of whichever layer was summed last
        for (const Array array : layer_gradients_in_turn()) {
            reads.emplace_back(array, 0.0);
        }
    }
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
                if (has_copy(one)) {
                    std::copy_n(on(one.master), counts[i], on(one.weight.value));
                }
            }
        });
    give_back(parameters);
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
    std::vector<double> all;
    for (const auto& [place, values] : of_place) {
        cut_.put_together(*of.spec, device_of.at(place), values, all);
    }
    return all;
}

void ParameterArrays::write(Numbers& numbers, const ParameterOf& of,
                            const std::vector<double>& whole) const
{
    const Pieces pieces = pieces_of(*of.spec);
    const Parameter& one = parameter(of);
    for (int device = 0; device < numbers.devices(); ++device) {
        std::vector<double> values = cut_.cut(*of.spec, device, whole);
        values.resize(static_cast<std::size_t>(pieces.shard * group_size(pieces.weight_axes)));
        const auto part = [&](std::int64_t first, std::int64_t count) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
        };
        const std::int64_t first = pieces.in_parts() ? first_element(pieces, device) : 0;
        const std::int64_t count = builder_.shape(one.master).elements();
        numbers.write(one.master, device, part(first, count));
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
        for (const Array array : {one.master, one.mean, one.square}) {
            if (array.exists()) {
                arrays.push_back(array);
            }
        }
        const Array copy = one.flat.exists() ? one.flat : one.weight.value;
        if (copy.exists() && copy.id != one.master.id) {
            arrays.push_back(copy);
        }
    }
    return arrays;
}

} // namespace alxsim::transformer
