// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/step_parts.h"

#include <algorithm>
#include <utility>

namespace alxsim::transformer {

namespace {

/// Returns that of an array of which neighbouring layers have one each.
StepBuilder::Storage in_turn(std::int64_t layer)
{
    StepBuilder::Storage storage{2, layer % 2};
    storage.in_turn = true;
    return storage;
}

} // namespace

StepParts::StepParts(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : config_(config),
      layout_(config_),
      own_builder_(std::make_unique<StepBuilder>(layout_, numbers, moved)),
      builder_(*own_builder_),
      sharding_(make_sharding(config_, builder_)),
      part_{config_.size.layers, parameter_specs(config_.size), 1},
      parameters_(config_, layout_, builder_, part_.layers, part_.specs)
{
}

StepParts::StepParts(const TransformerConfig& config, StepBuilder& builder, ModelPart part)
    : config_(config),
      layout_(config_),
      builder_(builder),
      sharding_(make_sharding(config_, builder_)),
      part_(std::move(part)),
      parameters_(config_, layout_, builder_, part_.layers, part_.specs)
{
}

model::DType StepParts::sum_type() const
{
    return config_.dtype == model::DType::f64 ? model::DType::f64 : model::DType::f32;
}

/// What is saved has a place for each layer; what is offloaded two, so that one layer's may travel
/// while the next one's is in use; what is neither is made anew in each.
StepBuilder::Storage StepParts::storage_of(Activations what, std::int64_t layer) const
{
    if (config_.recomputation.saves(what)) {
        return kept(layers(), layer);
    }
    return config_.recomputation.offloads(what) ? in_turn(layer) : StepBuilder::Storage{};
}

Array StepParts::noted(Activations what, const std::string& name, Array array)
{
    if (config_.recomputation.offloads(what)) {
        offloaded_[name] = {builder_.shape(array), builder_.dtype(array)};
    }
    return array;
}

Array StepParts::activation(Activations what, const std::string& name, Shape shape,
                            std::int64_t layer, model::DType dtype)
{
    return noted(what, name,
                 builder_.array("activations." + name, shape, dtype, storage_of(what, layer)));
}

Array StepParts::activation(Activations what, const std::string& name, Shape shape,
                            std::int64_t layer)
{
    return activation(what, name, shape, layer, config_.dtype);
}

Array StepParts::stream(std::int64_t layer)
{
    StepBuilder::Storage storage; // what serves has one for all layers
    if (config_.recomputation.offloads(Activations::layer_input)) {
        storage = in_turn(layer);
    } else if (config_.trains()) {
        storage = kept(layers() + 1, layer); // the last one's output
    }
    return noted(Activations::layer_input, "stream",
                 builder_.array("activations.stream", sharding_->stream(), config_.dtype, storage));
}

Array StepParts::on_host(const std::string& name, Array like, StepBuilder::Storage storage)
{
    storage.residency = model::Residency::host;
    return builder_.array("host." + name, builder_.shape(like), builder_.dtype(like), storage);
}

void StepParts::offload(std::int64_t layer)
{
    for (const auto& [name, form] : offloaded_) {
        const Array array =
            builder_.array("activations." + name, form.first, form.second, in_turn(layer));
        builder_.transfer(name, "offload", array, on_host(name, array, kept(layers(), layer)));
    }
}

void StepParts::bring_back(std::int64_t layer)
{
    for (const auto& [name, form] : offloaded_) {
        const Array array =
            builder_.array("activations." + name, form.first, form.second, in_turn(layer));
        builder_.transfer(name, "offload", on_host(name, array, kept(layers(), layer)), array);
    }
}

void StepParts::offload_output()
{
    const Array output = stream(layers());
    builder_.transfer("output", "offload", output, on_host("output", output, kept(1, 0)));
}

void StepParts::bring_back_output()
{
    const Array output = stream(layers());
    builder_.transfer("output", "offload", on_host("output", output, kept(1, 0)), output);
}

Array StepParts::scratch(const std::string& name, Shape shape)
{
    return builder_.array("workspace." + name, shape, config_.dtype);
}

Sharding::Linear StepParts::linear(const std::string& name, const std::string& part,
                                   std::int64_t layer) const
{
    return {name, phase(part), weight(name + ".w", layer), weight(name + ".b", layer)};
}

/// Returns that of a layer's vectors as the device can use them.
StepBuilder::Storage StepParts::vector_storage(std::int64_t layer) const
{
    return layer < 0 ? StepBuilder::Storage{}
                     : StepBuilder::Storage{layers(), layer, model::Residency::hbm};
}

/// Names what it keeps; `layer` -1: the last one. Sums are kept with the norm's result.
NormKept StepParts::norm_kept(const std::string& name, std::int64_t layer, Array x)
{
    const Shape sums{builder_.shape(x).rows, 1};
    const auto array = [&](const std::string& what) {
        return layer < 0 ? builder_.array("activations." + what, sums, sum_type())
                         : activation(name == "ln1" ? Activations::norm1 : Activations::norm2, what,
                                      sums, layer, sum_type());
    };
    NormKept kept;
    if (config_.size.norm == NormKind::layer) {
        kept.total = array(name + ".total");
    }
    kept.squares = array(name + ".squares");
    return kept;
}

void StepParts::norm(const std::string& name, const std::string& part, std::int64_t layer, Array x,
                     Array y)
{
    const Weight gamma = weight(name + ".g", layer);
    const Weight beta = weight(name + ".b", layer);
    NormKept kept = norm_kept(name, layer, x);
    kept.gamma = sharding_->usable(name + ".g", gamma, vector_storage(layer));
    const Array usable_beta =
        beta.value.exists() ? sharding_->usable(name + ".b", beta, vector_storage(layer)) : Array();
    sharding_->norm(phase(part), x, kept, usable_beta, y);
}

void StepParts::norm_backward(const std::string& name, const std::string& part, std::int64_t layer,
                              Array x, Array dy, Array dx)
{
    NormKept kept = norm_kept(name, layer, x);
    const Weight gamma = weight(name + ".g", layer);
    kept.gamma = sharding_->already_usable(name + ".g", gamma, vector_storage(layer));
    sharding_->norm_backward(phase(part), x, dy, kept, {gamma, weight(name + ".b", layer)}, dx);
}

model::Vector StepParts::vector(std::int64_t elements, double operations, std::int64_t minor) const
{
    model::Vector work;
    work.elements = elements;
    work.ops_per_element = operations;
    work.dtype = config_.dtype;
    work.reduction = minor > 0 ? model::Reduction::lanes : model::Reduction::none;
    work.minor = minor;
    return work;
}

void StepParts::add_residual(const std::string& part, const std::string& bias_name,
                             std::int64_t layer, Array x, Array branch, Array y)
{
    const Shape shape = sharding_->stream();
    const Weight bias = weight(bias_name, layer);
    std::vector<Touch> reads{x, branch};
    Array usable;
    if (bias.value.exists()) {
        usable = sharding_->usable(bias_name, bias, {});
        reads.emplace_back(usable);
    }
    builder_.compute("residual", phase(part), vector(shape.elements(), bias.value.exists() ? 2 : 1),
                     reads, {y}, [=](const auto& on) {
                         using Real = spmd::NumberOf<decltype(on)>;
                         const Real* const added = usable.exists() ? on(usable) : nullptr;
                         transformer::add_residual(on(x), on(branch), added, shape.rows,
                                                   shape.columns, on(y));
                     });
}

void StepParts::sum_gradients()
{
    if (parameters_.has_replicas() && !parameters_.sums_meanwhile()) {
        builder_.begin({"gradients", "layers"});
        builder_.layers("replicas' gradients", "gradients.data", layers(), StepBuilder::Order::down,
                        [this](std::int64_t layer) { parameters_.sum_replicas(layer); });
    }
    builder_.begin({"backward", "layers"});
    sharding_->finish_norms(parameters_.norm_gradients());
    parameters_.sum_remaining();
}

void StepParts::clear(const std::string& name, const std::string& part, Array x)
{
    const Shape shape = builder_.shape(x);
    builder_.compute(name, phase(part), vector(shape.elements(), 1), {}, {x},
                     [=](const auto& on) { std::fill_n(on(x), shape.elements(), 0); });
}

} // namespace alxsim::transformer
