// SPDX-License-Identifier: Apache-2.0
// How parameters that are cut come together where they are used, and their gradients go apart.
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::transformer {
namespace {

using model::CollectiveKind;
using Storage = StepBuilder::Storage;

/// Stores a layer's working weight or gradient of which there are two: one layer's may come or go
/// while its neighbour's is in use.
Storage two_in_turn(std::int64_t layer)
{
    Storage storage{2, layer % 2};
    storage.in_turn = true;
    return storage;
}

} // namespace

/// All of a cut matrix while it is in use, filled up to equal parts.
Array ParameterArrays::flat_working(const std::string& what, const ParameterSpec& spec,
                                    std::int64_t layer) const
{
    if (spec.of_layer && gathered_ahead_.empty()) {
        throw std::logic_error("a layer's weights are asked for outside of a loop that gathers");
    }
    const Pieces pieces = pieces_of(spec);
    const bool two = spec.name == (what == "gradients" ? last_gradient : gathered_ahead_);
    return builder_.array("workspace." + what + (two ? ".in_turn." : ".") + spec.name,
                          {1, pieces.shard * group_size(pieces.weight_axes)}, weight_type(spec),
                          two ? two_in_turn(layer) : Storage());
}

Weight ParameterArrays::working(const ParameterSpec& spec, std::int64_t layer) const
{
    const Shape whole{cut_.rows_of(spec), cut_.columns_of(spec)};
    const auto array = [&](const std::string& what) {
        return builder_.part(what + " of " + spec.name, flat_working(what, spec, layer), 0, whole);
    };
    return {array("weights"), config_.trains() ? array("gradients") : Array(),
            parameters_.at({spec.name, known(layer)}).weight.scales};
}

Weight ParameterArrays::weight(const std::string& name, std::int64_t layer) const
{
    const auto found = parameters_.find({name, known(layer)});
    if (found == parameters_.end()) {
        return {};
    }
    const ParameterSpec& spec = spec_of(name);
    if (pieces_of(spec).is_cut()) {
        return working(spec, layer);
    }
    Weight weight = found->second.weight;
    if (config_.trains() && spec.of_layer &&
        !is_vector(spec)) { // gradients of neighbouring layers may stand apart
        const Shape held = builder_.shape(found->second.fresh);
        weight.gradient = whole_gradient(spec, of_layer(spec, layer, held).fresh);
    }
    return weight;
}

/// What a device sends of a cut matrix: its part, as it travels.
Array ParameterArrays::shard_of(const ParameterSpec& spec, std::int64_t layer) const
{
    const Parameter& parameter = parameters_.at({spec.name, known(layer)});
    if (parameter.weight.value.exists()) {
        return parameter.weight.value;
    }
    if (config_.dtype == master_type()) {
        return parameter.master;
    }
    const bool two = spec.name == gathered_ahead_;
    return builder_.array("workspace.shards." + std::string(two ? "in_turn." : "") + spec.name,
                          {1, pieces_of(spec).shard}, config_.dtype,
                          two ? two_in_turn(layer) : Storage());
}

void ParameterArrays::gather_all(const std::vector<const ParameterSpec*>& specs, std::int64_t layer)
{
    std::vector<Touch> masters;
    std::vector<Touch> shards;
    model::Vector work;
    for (const ParameterSpec* const spec : specs) {
        const Parameter& parameter = parameters_.at({spec->name, known(layer)});
        const Array shard = shard_of(*spec, layer);
        if (shard.id != parameter.master.id && shard.id != parameter.weight.value.id) {
            masters.emplace_back(parameter.master);
            shards.emplace_back(shard);
            work.elements += builder_.shape(shard).elements();
        }
    }
    if (work.elements > 0) {
        std::vector<std::int64_t> elements;
        for (const Touch& shard : shards) {
            elements.push_back(builder_.shape(shard.array).elements());
        }
        builder_.compute("weights in bf16", builder_.section().pass + ".weights", work, masters,
                         shards, [=](const auto& on) {
                             for (std::size_t i = 0; i < shards.size(); ++i) {
                                 std::copy_n(on(masters[i].array), elements[i],
                                             on(shards[i].array));
                             }
                         });
    }
    for (const ParameterSpec* const spec : specs) {
        const Pieces pieces = pieces_of(*spec);
        if (pieces.is_cut()) {
            builder_.collective(spec->name, CollectiveKind::all_gather, pieces.weight_axes,
                                shard_of(*spec, layer), flat_working("weights", *spec, layer));
        }
    }
}

StepBuilder::LayerParts ParameterArrays::gathers_of_layers(const std::string& first)
{
    StepBuilder::LayerParts parts;
    if (!gathers()) {
        return parts;
    }
    gathered_ahead_ = first;
    std::vector<const ParameterSpec*> others = matrices_of_layers();
    others.erase(std::remove(others.begin(), others.end(), &spec_of(first)), others.end());
    const spmd::Section section{builder_.section().pass, "layers"};
    parts.fetch = [this, section, first](std::int64_t layer) {
        builder_.begin(section);
        gather_all({&spec_of(first)}, layer);
    };
    parts.begin = [this, section, others](std::int64_t layer) {
        builder_.begin(section);
        gather_all(others, layer);
    };
    return parts;
}

void ParameterArrays::gather(const std::string& name)
{
    if (gathers()) {
        gather_all({&spec_of(name)}, -1);
    }
}

void ParameterArrays::scatter(const std::string& name, std::int64_t layer)
{
    const ParameterSpec& spec = spec_of(name);
    const Pieces pieces = pieces_of(spec);
    if (!pieces.is_cut()) {
        return;
    }
    const Array sum = spec.of_layer ? of_layer(spec, layer, {1, pieces.shard}).fresh
                                    : parameters_.at({name, -1}).fresh;
    builder_.collective(name + " gradient", CollectiveKind::reduce_scatter, pieces.weight_axes,
                        flat_working("gradients", spec, layer), sum);
}

} // namespace alxsim::transformer
