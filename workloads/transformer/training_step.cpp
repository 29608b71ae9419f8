// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/training_step.h"

#include <algorithm>

namespace alxsim::transformer {
namespace {

using Order = StepBuilder::Order;

bool is_norm(const ParameterSpec& spec)
{
    return spec.role == ParameterRole::norm;
}

} // namespace

TrainingStep::TrainingStep(const TransformerConfig& config, int devices, Numbers* numbers,
                           MovedCounts* moved)
    : config_(config),
      devices_(devices),
      layout_(config, devices),
      builder_(layout_, numbers, moved),
      sharding_(make_sharding(config_, builder_)),
      specs_(parameter_specs(config.size)),
      cut_(config, layout_)
{
    declare_parameters();
    forward();
    loss_and_its_gradient();
    backward();
    optimize();
    graph_ = std::make_shared<const model::OpGraph>(builder_.take("training step"));
}

// Gradients of a layer lie in one array, which replicas sum up in one collective; those of all
// normalizations in another, which a sharding may have to sum up by itself.
void TrainingStep::declare_parameters()
{
    const auto hbm = [](std::int64_t copies, std::int64_t copy) {
        return StepBuilder::Storage{copies, copy, model::Residency::hbm};
    };
    const model::DType type = config_.dtype;
    const model::DType state = type == model::DType::bf16 ? model::DType::f32 : type;
    std::int64_t of_layer = 0;
    std::int64_t norm_width = 0;
    for (const ParameterSpec& spec : specs_) {
        const std::int64_t elements = cut_.rows_of(spec) * cut_.columns_of(spec);
        of_layer += spec.of_layer && !is_norm(spec) ? elements : 0;
        norm_width = is_norm(spec) ? elements : norm_width;
    }
    norm_gradients_ =
        builder_.array("gradients.norms", {4 * layers() + 2, norm_width}, type, hbm(1, 0));
    std::map<std::int64_t, std::int64_t> used; // of a layer's gradients
    std::int64_t norms = 0;
    for (const ParameterOf& of : all_parameters(specs_, told_apart())) {
        const ParameterSpec& spec = *of.spec;
        const Shape shape{cut_.rows_of(spec), cut_.columns_of(spec)};
        const std::int64_t copies = spec.of_layer ? layers() : 1;
        const auto stored = hbm(copies, std::max<std::int64_t>(of.layer, 0));
        Parameter parameter;
        parameter.weight.value = builder_.array("weights." + spec.name, shape, type, stored);
        parameter.master =
            type == state ? parameter.weight.value
                          : builder_.array("optimizer.master." + spec.name, shape, state, stored);
        parameter.mean = builder_.array("optimizer.mean." + spec.name, shape, state, stored);
        parameter.square = builder_.array("optimizer.square." + spec.name, shape, state, stored);
        if (is_norm(spec)) {
            parameter.weight.gradient =
                builder_.part(builder_.has_numbers() ? of.name() : spec.name, norm_gradients_,
                              builder_.has_numbers() ? norms : 0, shape);
            norms += shape.elements();
        } else if (spec.of_layer) {
            Array& whole = layer_gradients_[of.layer];
            whole = builder_.array("gradients.layers", {1, of_layer}, type, stored);
            parameter.weight.gradient = builder_.part(spec.name, whole, used[of.layer], shape);
            used[of.layer] += shape.elements();
        } else {
            parameter.weight.gradient =
                builder_.array("gradients." + spec.name, shape, type, stored);
        }
        parameters_[{spec.name, of.layer}] = parameter;
    }
    if (!builder_.has_numbers()) {
        auto other = hbm(layers(), 0);
        other.of_other_layer = true;
        above_gradients_ = builder_.array("gradients.layers", {1, of_layer}, type, other);
    }
}

const Parameter& TrainingStep::parameter(const ParameterOf& of) const
{
    return parameters_.at({of.spec->name, known(of.layer)});
}

Weight TrainingStep::weight(const std::string& name, std::int64_t layer) const
{
    return parameters_.at({name, known(layer)}).weight;
}

Sharding::Linear TrainingStep::linear(const std::string& name, const std::string& part,
                                      std::int64_t layer) const
{
    return {name, phase(part), weight(name + ".w", layer), weight(name + ".b", layer)};
}

StepBuilder::Storage TrainingStep::kept(std::int64_t layer, bool recomputed) const
{
    return recomputed ? StepBuilder::Storage{}
                      : StepBuilder::Storage{layers(), layer, model::Residency::hbm};
}

Array TrainingStep::activation(const std::string& name, Shape shape, std::int64_t layer,
                               bool of_attention)
{
    const bool recomputed = config_.recomputation == Recomputation::full ||
                            (config_.recomputation == Recomputation::selective && of_attention);
    return builder_.array("activations." + name, shape, config_.dtype, kept(layer, recomputed));
}

Array TrainingStep::stream(std::int64_t layer)
{
    return builder_.array("activations.stream", sharding_->stream(), config_.dtype,
                          {layers() + 1, layer, model::Residency::hbm});
}

Array TrainingStep::scratch(const std::string& name, Shape shape)
{
    return builder_.array("workspace." + name, shape, config_.dtype);
}

Heads TrainingStep::heads() const
{
    const ShardSizes& sizes = sharding_->sizes();
    return {sizes.sequences, config_.size.sequence, config_.size.heads / sizes.parts,
            config_.size.hidden / config_.size.heads};
}

/// Of `layer` -1: of the last normalization.
NormKept TrainingStep::norm_kept(const std::string& name, std::int64_t layer)
{
    const model::DType type =
        config_.dtype == model::DType::f64 ? model::DType::f64 : model::DType::f32;
    const Shape sums{sharding_->sizes().stream_tokens, 1};
    const StepBuilder::Storage storage =
        layer < 0 ? StepBuilder::Storage{}
                  : kept(layer, config_.recomputation == Recomputation::full);
    NormKept kept;
    kept.total = builder_.array("activations." + name + ".total", sums, type, storage);
    kept.squares = builder_.array("activations." + name + ".squares", sums, type, storage);
    return kept;
}

void TrainingStep::norm(const std::string& name, const std::string& part, std::int64_t layer,
                        Array x, Array y)
{
    const StepBuilder::Storage storage = layer < 0 ? StepBuilder::Storage{} : kept(layer, false);
    const Weight gamma = weight(name + ".g", layer);
    const Weight beta = weight(name + ".b", layer);
    NormKept kept = norm_kept(name, layer);
    kept.gamma = sharding_->usable(name + ".g", gamma, storage);
    sharding_->norm(phase(part), x, kept, sharding_->usable(name + ".b", beta, storage), y);
}

void TrainingStep::norm_backward(const std::string& name, const std::string& part,
                                 std::int64_t layer, Array x, Array dy, Array dx)
{
    NormKept kept = norm_kept(name, layer);
    kept.gamma =
        sharding_->already_usable(name + ".g", weight(name + ".g", layer),
                                  layer < 0 ? StepBuilder::Storage{} : this->kept(layer, false));
    sharding_->norm_backward(phase(part), x, dy, kept,
                             {weight(name + ".g", layer), weight(name + ".b", layer)}, dx);
}

/// Token ids of the sequences that a device works on; targets are the same, one token later. A
/// host reads its devices' part of the batch once.
void TrainingStep::feed()
{
    constexpr std::int64_t id_bytes = 4;
    const std::int64_t batch = config_.batch * config_.size.sequence;
    const std::int64_t tokens = sharding_->sizes().tokens;
    const Array ids = builder_.array("batch.tokens", {1, tokens}, model::DType::f32);
    builder_.begin({"infeed", "tokens"});
    builder_.compute(
        "tokens", "infeed",
        model::infeed_of(Bytes(tokens * id_bytes), Bytes(ceil_divide(batch, devices_) * id_bytes)),
        {}, {ids}, [](const auto&) {});
}

void TrainingStep::forward()
{
    if (config_.input_bytes_per_second > 0) {
        feed();
    }
    builder_.begin({"forward", "embedding"});
    sharding_->embed(weight("wte"), weight("wpe"), stream(0));
    builder_.begin({"forward", "layers"});
    builder_.layers("layers", "forward.layers", layers(), Order::up,
                    [this](std::int64_t layer) { forward_layer(layer, false); });
    norm("lnf", "head", -1, stream(layers()), scratch("final", sharding_->stream()));
}

/// `again`: for the backward, which needs neither the last product nor the layer's output.
void TrainingStep::forward_layer(std::int64_t layer, bool again)
{
    const Shape wide = sharding_->inner(4 * config_.size.hidden);
    const Shape narrow = sharding_->inner(config_.size.hidden);
    const Array x = stream(layer);
    const Array normal = activation("ln1", sharding_->stream(), layer);
    norm("ln1", "attention", layer, x, normal);
    sharding_->into(linear("qkv", "attention", layer), normal,
                    activation("qkv", sharding_->inner(3 * config_.size.hidden), layer));
    attention(layer);
    const Array branch = scratch("branch", sharding_->stream());
    const Array middle = activation("middle", sharding_->stream(), layer);
    sharding_->out_of(linear("proj", "attention", layer), activation("context", narrow, layer),
                      branch);
    add_residual("attention", "proj.b", layer, x, branch, middle);
    const Array normal2 = activation("ln2", sharding_->stream(), layer);
    norm("ln2", "mlp", layer, middle, normal2);
    const Array before = activation("fc1", wide, layer);
    const Array after = activation("gelu", wide, layer);
    sharding_->into(linear("fc1", "mlp", layer), normal2, before);
    model::Vector gelu_work;
    gelu_work.elements = wide.elements();
    gelu_work.ops_per_element = 8; // a tanh and seven others, as compiled
    gelu_work.medium_per_element = 1;
    gelu_work.dtype = config_.dtype;
    builder_.compute("gelu", phase("mlp"), gelu_work, {before}, {after},
                     [=](const auto& on) { gelu(on(before), wide.elements(), on(after)); });
    if (again) {
        return;
    }
    sharding_->out_of(linear("fc2", "mlp", layer), after, branch);
    add_residual("mlp", "fc2.b", layer, middle, branch, stream(layer + 1));
}

void TrainingStep::add_residual(const std::string& part, const std::string& bias_name,
                                std::int64_t layer, Array x, Array branch, Array y)
{
    const Shape shape = sharding_->stream();
    const Array bias = sharding_->usable(bias_name, weight(bias_name, layer), kept(layer, true));
    model::Vector work;
    work.elements = shape.elements();
    work.ops_per_element = 2;
    work.dtype = config_.dtype;
    builder_.compute("residual", phase(part), work, {x, branch, bias}, {y}, [=](const auto& on) {
        transformer::add_residual(on(x), on(branch), on(bias), shape.rows, shape.columns, on(y));
    });
}

/// Scores, probabilities and context of a layer's heads, each head's products by themselves.
void TrainingStep::attention(std::int64_t layer)
{
    attention_probabilities(layer);
    const Heads all = heads();
    const Shape square{all.sequences * all.heads * all.length, all.length};
    const Array qkv = activation("qkv", sharding_->inner(3 * config_.size.hidden), layer);
    const Array probabilities = activation("probabilities", square, layer, true);
    const Array context = activation("context", sharding_->inner(config_.size.hidden), layer);
    builder_.compute("context", phase("attention"), attention_product(all.length, all.width),
                     {probabilities, {qkv, 1.0 / 3}}, {context}, [=](const auto& on) {
                         attention_context(all, on(probabilities), on(qkv), on(context));
                     });
}

void TrainingStep::attention_probabilities(std::int64_t layer)
{
    const Heads all = heads();
    const Shape square{all.sequences * all.heads * all.length, all.length};
    const Array qkv = activation("qkv", sharding_->inner(3 * config_.size.hidden), layer);
    const Array scores = activation("scores", square, layer, true);
    const Array probabilities = activation("probabilities", square, layer, true);
    builder_.compute("scores", phase("attention"), attention_product(all.width, all.length),
                     {{qkv, 2.0 / 3}}, {scores},
                     [=](const auto& on) { attention_scores(all, on(qkv), on(scores)); });
    builder_.compute("softmax", phase("attention"), softmax_work(true), {scores}, {probabilities},
                     [=](const auto& on) { causal_softmax(all, on(scores), on(probabilities)); });
}

/// Of every head: [length x k] times [k x n].
model::Matmul TrainingStep::attention_product(std::int64_t k, std::int64_t n) const
{
    const Heads all = heads();
    return spmd::matmul_of(all.sequences * all.heads, {all.length, k, n}, config_.dtype);
}

/// Forward, as compiled: the largest; of the difference to it the exponential and its sum; again,
/// divided by the sum. Backward: products with the gradient, their sum, and theirs with the rest.
model::Vector TrainingStep::softmax_work(bool forward) const
{
    const Heads all = heads();
    model::Vector work;
    work.elements = all.sequences * all.heads * all.length * all.length;
    work.ops_per_element = forward ? 7 : 4;
    work.medium_per_element = forward ? 2 : 0;
    work.division_per_element = forward ? 1 : 0;
    work.dtype = config_.dtype;
    work.reduction = model::Reduction::lanes;
    work.minor = all.length;
    return work;
}

void TrainingStep::attention_backward(std::int64_t layer, Array dcontext, Array dqkv)
{
    const Heads all = heads();
    const Shape square{all.sequences * all.heads * all.length, all.length};
    const Array qkv = activation("qkv", sharding_->inner(3 * config_.size.hidden), layer);
    const Array probabilities = activation("probabilities", square, layer, true);
    const Array dscores = scratch("dscores", square);
    model::Matmul twice = attention_product(all.width, all.length);
    twice.batch *= 2; // the gradients of both factors
    const std::string part = phase("attention");
    builder_.compute("context gradient", part, twice, {probabilities, {qkv, 1.0 / 3}, dcontext},
                     {dscores, {dqkv, 1.0 / 3}}, [=](const auto& on) {
                         attention_context_backward(all, on(probabilities), on(qkv), on(dcontext),
                                                    on(dscores), on(dqkv));
                     });
    builder_.compute(
        "softmax gradient", part, softmax_work(false), {probabilities, dscores}, {dscores},
        [=](const auto& on) { causal_softmax_backward(all, on(probabilities), on(dscores)); });
    builder_.compute(
        "scores gradient", part, twice, {dscores, {qkv, 2.0 / 3}}, {{dqkv, 2.0 / 3}},
        [=](const auto& on) { attention_scores_backward(all, on(dscores), on(qkv), on(dqkv)); });
}

/// The head: logits, the mean cross entropy of all tokens, and its gradient in the logits' place.
void TrainingStep::loss_and_its_gradient()
{
    builder_.begin({"forward", "head"});
    const Shape shape = sharding_->inner(config_.size.vocabulary);
    const Array logits = builder_.array("logits", shape, config_.dtype);
    sharding_->head(weight("wte"), scratch("final", sharding_->stream()), logits);
    const model::DType type =
        config_.dtype == model::DType::f64 ? model::DType::f64 : model::DType::f32;
    const auto of_tokens = [&](const std::string& name) {
        return builder_.array("workspace." + name, {shape.rows, 1}, type);
    };
    const Array maxima = of_tokens("maxima");
    const Array sums = of_tokens("exponential_sums");
    const Array targets = of_tokens("target_logits");
    const std::string axis = sharding_->vocabulary_axis();
    const auto part = [=, tokens = &sharding_->step_tokens(), layout = layout_](const auto& on) {
        using Real = typename std::decay_t<decltype(on)>::Number;
        const Place place = layout.place_of(on.device());
        const int index = layout.is_grid() ? place.column : place.part;
        return VocabularyPart<Real>{on(logits), shape.rows, shape.columns, index * shape.columns,
                                    tokens->targets[static_cast<std::size_t>(on.device())].data()};
    };
    const auto over_logits = [&](double operations, double exponentials) {
        model::Vector work;
        work.elements = shape.elements();
        work.ops_per_element = operations;
        work.medium_per_element = exponentials;
        work.dtype = config_.dtype;
        work.reduction = model::Reduction::lanes;
        work.minor = shape.columns;
        return work;
    };
    const auto all = model::CollectiveKind::all_reduce;
    builder_.compute("largest logit", phase("head"), over_logits(1, 0), {logits}, {maxima},
                     [=](const auto& on) { row_maxima(part(on), on(maxima)); });
    builder_.collective("largest logit", all, axis, maxima, maxima, 0, spmd::Combine::largest);
    builder_.compute("sum of exponentials", phase("head"), over_logits(3, 1), {logits, maxima},
                     {sums, targets}, [=](const auto& on) {
                         exponential_sums(part(on), on(maxima), on(sums));
                         target_logits(part(on), on(targets));
                     });
    builder_.collective("sum of exponentials", all, axis, sums, sums);
    builder_.collective("target logit", all, axis, targets, targets);
    const std::int64_t tokens = config_.batch * config_.size.sequence;
    loss_ = builder_.array("workspace.loss", {1, 1}, type);
    const Array loss = loss_;
    model::Vector loss_work;
    loss_work.elements = shape.rows;
    loss_work.ops_per_element = 2;
    loss_work.dtype = type;
    loss_work.operation_class = model::OperationClass::medium;
    builder_.compute(
        "loss", phase("head"), loss_work, {maxima, sums, targets}, {loss}, [=](const auto& on) {
            *on(loss) = mean_cross_entropy(on(maxima), on(sums), on(targets), shape.rows, tokens);
        });
    for (const std::string& token_axis : sharding_->token_axes()) {
        builder_.collective("loss", all, token_axis, loss, loss);
    }
    builder_.collective("loss", all, axis::data, loss, loss);
    builder_.begin({"backward", "head"});
    model::Vector gradient_work = over_logits(4, 1);
    gradient_work.division_per_element = 1;
    gradient_work.reduction = model::Reduction::none;
    builder_.compute("logits gradient", phase("head"), gradient_work, {logits, maxima, sums},
                     {logits}, [=](const auto& on) {
                         cross_entropy_backward(part(on), on(maxima), on(sums), tokens, on(logits));
                     });
}

void TrainingStep::backward()
{
    builder_.begin({"backward", "head"});
    const Shape shape = sharding_->stream();
    const Array final = scratch("final", shape);
    const Array dbranch = scratch("dbranch", shape);
    const Array dx = scratch("dstream", shape);
    const Array logits =
        builder_.array("logits", sharding_->inner(config_.size.vocabulary), config_.dtype);
    sharding_->head_backward(weight("wte"), logits, final, dbranch);
    clear(dx);
    norm_backward("lnf", "head", -1, stream(layers()), dbranch, dx);
    builder_.begin({"backward", "layers"});
    if (config_.gradient_overlap == GradientOverlap::backward && config_.replicas > 1) {
        // While a layer's backward runs, the gradients of the one above are summed up.
        backward_layer(layers() - 1);
        builder_.layers("layers backward", "backward.layers", layers() - 1, Order::down,
                        [this](std::int64_t layer) {
                            sum_replicas(layer + 1, true);
                            backward_layer(layer);
                        });
        sum_replicas(0, false);
    } else {
        builder_.layers("layers backward", "backward.layers", layers(), Order::down,
                        [this](std::int64_t layer) { backward_layer(layer); });
        builder_.layers("replicas' gradients", "gradients.data",
                        config_.replicas > 1 ? layers() : 0, Order::down,
                        [this](std::int64_t layer) { sum_replicas(layer, false); });
    }
    builder_.begin({"backward", "embedding"});
    sharding_->embed_backward(weight("wte"), weight("wpe"), dx);
    builder_.begin({"backward", "layers"});
    sharding_->finish_norms(norm_gradients_);
    sum_remaining_replicas();
}

/// The gradient of the last normalization's input is added to nothing.
void TrainingStep::clear(Array x)
{
    const Shape shape = builder_.shape(x);
    model::Vector work;
    work.elements = shape.elements();
    work.dtype = config_.dtype;
    builder_.compute("no gradient yet", phase("head"), work, {}, {x},
                     [=](const auto& on) { std::fill_n(on(x), shape.elements(), 0); });
}

void TrainingStep::backward_layer(std::int64_t layer)
{
    if (config_.recomputation == Recomputation::full) {
        builder_.begin({"recompute", "layers"});
        forward_layer(layer, true);
    } else if (config_.recomputation == Recomputation::selective) {
        builder_.begin({"recompute", "layers"});
        attention_probabilities(layer);
    }
    builder_.begin({"backward", "layers"});
    const Shape stream_shape = sharding_->stream();
    const Shape wide = sharding_->inner(4 * config_.size.hidden);
    const Array dx = scratch("dstream", stream_shape);
    const Array dbranch = scratch("dbranch", stream_shape);
    const Array dwide = scratch("dwide", wide);
    const Array before = activation("fc1", wide, layer);
    sharding_->out_of_backward(linear("fc2", "mlp", layer), dx, activation("gelu", wide, layer),
                               dwide);
    model::Vector gelu_work;
    gelu_work.elements = wide.elements();
    gelu_work.ops_per_element = 16; // a tanh and fifteen others, as the derivative is written
    gelu_work.medium_per_element = 1;
    gelu_work.dtype = config_.dtype;
    builder_.compute(
        "gelu gradient", phase("mlp"), gelu_work, {before, dwide}, {dwide},
        [=](const auto& on) { gelu_backward(on(before), on(dwide), wide.elements(), on(dwide)); });
    sharding_->into_backward(linear("fc1", "mlp", layer), dwide,
                             activation("ln2", stream_shape, layer), dbranch);
    norm_backward("ln2", "mlp", layer, activation("middle", stream_shape, layer), dbranch, dx);

    const Shape narrow = sharding_->inner(config_.size.hidden);
    const Array dcontext = scratch("dcontext", narrow);
    const Array dqkv = scratch("dqkv", sharding_->inner(3 * config_.size.hidden));
    sharding_->out_of_backward(linear("proj", "attention", layer), dx,
                               activation("context", narrow, layer), dcontext);
    attention_backward(layer, dcontext, dqkv);
    sharding_->into_backward(linear("qkv", "attention", layer), dqkv,
                             activation("ln1", stream_shape, layer), dbranch);
    norm_backward("ln1", "attention", layer, stream(layer), dbranch, dx);
}

void TrainingStep::sum_replicas(std::int64_t layer, bool of_layer_above)
{
    builder_.begin({"gradients", "layers"});
    const Array gradients = of_layer_above && !builder_.has_numbers()
                                ? above_gradients_
                                : layer_gradients_.at(known(layer));
    builder_.collective("gradients", model::CollectiveKind::all_reduce, axis::data, gradients,
                        gradients);
}

void TrainingStep::sum_remaining_replicas()
{
    builder_.begin({"gradients", "embedding"});
    for (const Array gradient : {norm_gradients_, weight("wte").gradient, weight("wpe").gradient}) {
        builder_.collective("gradients", model::CollectiveKind::all_reduce, axis::data, gradient,
                            gradient);
    }
}

void TrainingStep::optimize()
{
    builder_.begin({"optimizer", "layers"});
    std::map<std::int64_t, std::vector<ParameterOf>> by_layer;
    for (const ParameterOf& of : all_parameters(specs_, told_apart())) {
        by_layer[of.layer].push_back(of);
    }
    builder_.layers("optimizer", "optimizer", layers(), Order::up,
                    [&](std::int64_t layer) { update("adam", by_layer.at(layer)); });
    update("adam of embeddings", by_layer.at(-1));
}

/// One pass over parameters, what Adam keeps of them, and their gradients.
void TrainingStep::update(const std::string& name, const std::vector<ParameterOf>& parameters)
{
    std::vector<Touch> reads;
    std::vector<Touch> writes;
    std::vector<Parameter> all;
    std::vector<std::int64_t> counts;
    model::Vector work;
    for (const ParameterOf& of : parameters) {
        const Parameter& one = parameter(of);
        for (const Array array : {one.weight.gradient, one.master, one.mean, one.square}) {
            reads.emplace_back(array);
        }
        for (const Array array : {one.master, one.mean, one.square}) {
            writes.emplace_back(array);
        }
        if (one.master.id != one.weight.value.id) {
            writes.emplace_back(one.weight.value);
        }
        all.push_back(one);
        counts.push_back(builder_.shape(one.master).elements());
        work.elements += counts.back();
    }
    work.ops_per_element = 16; // 14 cheap ones, a root and a division
    work.division_per_element = 2;
    builder_.compute(name, "optimizer", work, reads, writes,
                     [=, options = config_.adam, step = step_](const auto& on) {
                         for (std::size_t i = 0; i < all.size(); ++i) {
                             const Parameter& one = all[i];
                             adam(options, *step, on(one.weight.gradient), counts[i], on(one.mean),
                                  on(one.square), on(one.master));
                             if (one.master.id != one.weight.value.id) {
                                 std::copy_n(on(one.master), counts[i], on(one.weight.value));
                             }
                         }
                     });
}

} // namespace alxsim::transformer
