// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace alxsim::transformer {
namespace {

using Storage = StepBuilder::Storage;

Storage in_hbm(std::int64_t copies, std::int64_t copy)
{
    return {copies, copy, model::Residency::hbm};
}

bool is_expert(const ParameterSpec& spec)
{
    return spec.role == ParameterRole::expert_into_weight ||
           spec.role == ParameterRole::expert_out_weight;
}

/// Under which role the gradients of vectors stand together.
ParameterRole vector_role(const ParameterSpec& spec)
{
    return spec.role == ParameterRole::out_bias ? ParameterRole::into_bias : spec.role;
}

} // namespace

ParameterArrays::ParameterArrays(const TransformerConfig& config, const Layout& layout,
                                 StepBuilder& builder, std::int64_t layers,
                                 std::vector<ParameterSpec> specs)
    : config_(config),
      layout_(layout),
      builder_(builder),
      layers_(layers),
      specs_(std::move(specs)),
      cut_(config, layout)
{
    if (config_.trains()) {
        declare_gradients();
    }
    for (const ParameterOf& of : all_parameters(specs_, told_apart())) {
        if (config_.trains()) {
            declare(of);
        } else {
            declare_weight(of);
        }
    }
}

model::DType ParameterArrays::state_type() const
{
    return config_.dtype == model::DType::bf16 ? model::DType::f32 : config_.dtype;
}

model::DType ParameterArrays::master_type() const
{
    return config_.optimizer.master == StateType::bf16 ? config_.dtype : state_type();
}

model::DType ParameterArrays::moments_type() const
{
    return config_.optimizer.moments == StateType::bf16 ? config_.dtype : state_type();
}

/// Whether each device keeps the whole. Where weights are not cut at all, biases go with matrices.
bool ParameterArrays::is_vector(const ParameterSpec& spec) const
{
    const bool is_bias =
        spec.role == ParameterRole::into_bias || spec.role == ParameterRole::out_bias;
    return spec.role == ParameterRole::norm || spec.role == ParameterRole::head_norm ||
           (is_bias && gathers());
}

std::int64_t ParameterArrays::group_size(const std::vector<std::string>& axes) const
{
    std::int64_t size = 1;
    for (const std::string& one : axes) {
        size *= layout_.length(one);
    }
    return size;
}

ParameterArrays::Pieces ParameterArrays::pieces_of(const ParameterSpec& spec) const
{
    Pieces pieces;
    pieces.elements = cut_.rows_of(spec) * cut_.columns_of(spec);
    if (!is_vector(spec)) {
        pieces.weight_axes =
            layout_.among(is_expert(spec) ? std::vector<std::string>{axis::fsdp}
                                          : std::vector<std::string>{axis::fsdp, axis::expert});
        if (config_.optimizer_sharding == OptimizerSharding::zero1) {
            pieces.state_axes = layout_.among({axis::data});
        }
    }
    pieces.shard = ceil_divide(pieces.elements, group_size(pieces.weight_axes));
    pieces.state = ceil_divide(pieces.shard, group_size(pieces.state_axes));
    pieces.shard = pieces.state * group_size(pieces.state_axes);
    return pieces;
}

bool ParameterArrays::sums_meanwhile() const
{
    return config_.gradient_overlap == GradientOverlap::backward && config_.microbatches == 1 &&
           has_replicas();
}

/// Over which a cut matrix is still the same: its parts' gradients are summed there.
std::vector<std::string> ParameterArrays::replica_axes() const
{
    const bool cuts_state = config_.optimizer_sharding == OptimizerSharding::zero1;
    return layout_.among(cuts_state ? std::vector<std::string>{axis::sequence}
                                    : std::vector<std::string>{axis::data, axis::sequence});
}

std::vector<const ParameterSpec*> ParameterArrays::matrices_of_layers() const
{
    std::vector<const ParameterSpec*> all;
    for (const ParameterSpec& spec : specs_) {
        if (spec.of_layer && !is_vector(spec)) {
            all.push_back(&spec);
        }
    }
    return all;
}

// Gradients of a layer's matrices lie in one array, which replicas sum up in one collective; those
// of all norms in another, which a sharding may have to sum up by itself.
void ParameterArrays::declare_gradients()
{
    for (const ParameterSpec* const spec : matrices_of_layers()) {
        flat_first_[spec->name] = flat_gradients_;
        flat_gradients_ += pieces_of(*spec).held();
    }
    std::map<ParameterRole, std::int64_t> elements;
    std::map<ParameterRole, std::int64_t> counts;
    for (const ParameterSpec& spec : specs_) {
        if (is_vector(spec)) {
            const std::int64_t times = spec.of_layer ? layers_ : 1;
            counts[vector_role(spec)] += times;
            elements[vector_role(spec)] += times * pieces_of(spec).elements;
        }
    }
    for (const auto& [role, count] : counts) {
        const bool is_bias = role == ParameterRole::into_bias; // of several widths
        const Shape shape{is_bias ? 1 : count,
                          is_bias ? elements.at(role) : elements.at(role) / count};
        const char* const name = is_bias                       ? "biases"
                                 : role == ParameterRole::norm ? "norms"
                                                               : "head_norms";
        vectors_[role] = gradients(name, shape, in_hbm(1, 0));
    }
}

ParameterArrays::Gradients ParameterArrays::gradients(const std::string& name, Shape shape,
                                                      const Storage& storage) const
{
    Gradients both;
    both.summed = builder_.array("gradients." + name, shape, config_.dtype, storage);
    both.fresh = config_.microbatches > 1
                     ? builder_.array("gradients.microbatch." + name, shape, config_.dtype, storage)
                     : both.summed;
    return both;
}

ParameterArrays::Gradients ParameterArrays::layer_gradients(std::int64_t layer) const
{
    Storage storage = in_hbm(layers_, layer);
    storage.in_turn = sums_meanwhile() && !gathers();
    return gradients("layers", {1, flat_gradients_}, storage);
}

/// A matrix's part of them.
ParameterArrays::Gradients ParameterArrays::of_layer(const ParameterSpec& spec, std::int64_t layer,
                                                     Shape shape) const
{
    const Gradients all = layer_gradients(layer);
    const std::int64_t first = flat_first_.at(spec.name);
    return {builder_.part(spec.name, all.fresh, first, shape),
            builder_.part(spec.name, all.summed, first, shape)};
}

ParameterArrays::Gradients ParameterArrays::vector_gradient(const ParameterSpec& spec,
                                                            std::int64_t layer)
{
    const ParameterRole role = vector_role(spec);
    const Gradients whole = vectors_.at(role);
    const Shape shape{cut_.rows_of(spec), cut_.columns_of(spec)};
    std::int64_t& used = vectors_used_[role];
    const bool apart = builder_.has_numbers();
    const std::string name = apart ? ParameterOf{&spec, layer}.name() : spec.name;
    const std::int64_t first = apart ? used : 0;
    used += shape.elements();
    return {builder_.part(name, whole.fresh, first, shape),
            builder_.part(name, whole.summed, first, shape)};
}

Storage ParameterArrays::stored(const ParameterSpec& spec, std::int64_t layer) const
{
    return in_hbm(spec.of_layer ? layers_ : 1, std::max<std::int64_t>(layer, 0));
}

/// A replica's part of a gradient's sum.
Array ParameterArrays::state_gradient(const ParameterSpec& spec, std::int64_t layer) const
{
    return builder_.array("gradients.state." + spec.name, {1, pieces_of(spec).state}, config_.dtype,
                          stored(spec, layer));
}

/// Returns that of one that is not gathered: what products write, without what fills it up to equal
/// parts.
Array ParameterArrays::whole_gradient(const ParameterSpec& spec, Array fresh) const
{
    const Pieces pieces = pieces_of(spec);
    return pieces.cuts_state() && !pieces.is_cut()
               ? builder_.part("gradient of " + spec.name, fresh, 0,
                               {cut_.rows_of(spec), cut_.columns_of(spec)})
               : fresh;
}

/// Declares that of a model that serves: nothing else is kept.
void ParameterArrays::declare_weight(const ParameterOf& of)
{
    const ParameterSpec& spec = *of.spec;
    const Pieces pieces = pieces_of(spec);
    const Shape kept =
        pieces.is_cut() ? Shape{1, pieces.shard} : Shape{cut_.rows_of(spec), cut_.columns_of(spec)};
    Parameter parameter;
    parameter.weight.value =
        builder_.array("weights." + spec.name, kept, weight_type(spec), stored(spec, of.layer));
    parameter.master = parameter.weight.value;
    if (in_eight_bits(spec)) {
        const QuantizedParameter form = quantized(spec);
        parameter.weight.scales = builder_.array("weights." + spec.name + ".scales",
                                                 {form.scale_rows(cut_), form.scale_columns(cut_)},
                                                 state_type(), stored(spec, of.layer));
    }
    parameters_[{spec.name, of.layer}] = parameter;
}

QuantizedParameter ParameterArrays::quantized(const ParameterSpec& spec) const
{
    return {spec, is_expert(spec) ? config_.size.experts.count : 1, weight_type(spec)};
}

void ParameterArrays::declare(const ParameterOf& of)
{
    const ParameterSpec& spec = *of.spec;
    const Pieces pieces = pieces_of(spec);
    const Shape whole{cut_.rows_of(spec), cut_.columns_of(spec)};
    const Storage storage = stored(spec, of.layer);
    const model::DType type = config_.dtype;
    const model::DType state = master_type();
    Parameter parameter;
    if (pieces.cuts_state()) {
        parameter.flat = builder_.array("weights." + spec.name, {1, pieces.shard}, type, storage);
        parameter.weight.value =
            pieces.is_cut() ? parameter.flat
                            : builder_.part("weight of " + spec.name, parameter.flat, 0, whole);
    } else if (!pieces.is_cut()) {
        parameter.weight.value = builder_.array("weights." + spec.name, whole, type, storage);
    }
    const Shape kept = pieces.in_parts() ? Shape{1, pieces.state} : whole;
    parameter.master = type == state && !pieces.in_parts()
                           ? parameter.weight.value
                           : builder_.array("optimizer.master." + spec.name, kept, state, storage);
    declare_state(of, kept, parameter);
    const Shape held = pieces.in_parts() ? Shape{1, pieces.shard} : whole;
    const Gradients both = is_vector(spec) ? vector_gradient(spec, of.layer)
                           : spec.of_layer ? of_layer(spec, of.layer, held)
                                           : gradients(spec.name, held, storage);
    parameter.fresh = both.fresh;
    parameter.summed = both.summed;
    parameter.weight.gradient = whole_gradient(spec, parameter.fresh);
    parameter.gradient = pieces.cuts_state() ? state_gradient(spec, of.layer) : parameter.summed;
    parameters_[{spec.name, of.layer}] = parameter;
}

const ParameterSpec& ParameterArrays::spec_of(const std::string& name) const
{
    const auto found = std::find_if(specs_.begin(), specs_.end(),
                                    [&](const ParameterSpec& one) { return one.name == name; });
    if (found == specs_.end()) {
        throw std::logic_error("the model has no parameter " + name);
    }
    return *found;
}

const Parameter& ParameterArrays::parameter(const ParameterOf& of) const
{
    return parameters_.at({of.spec->name, known(of.layer)});
}

} // namespace alxsim::transformer
