// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/request.h"

#include "base/schema/json_schema.h"
#include "workloads/transformer/presets.h"

#include <algorithm>
#include <array>
#include <utility>

namespace alxsim {

namespace model {

/// Those that a study's transformer may have: no MXU multiplies f64, which tests have.
constexpr std::array<ValueName<DType>, 2> value_names(DType /*any*/)
{
    return {{{"bf16", DType::bf16}, {"f32", DType::f32}}};
}

} // namespace model

namespace json_fields {

template <>
struct Form<model::DType> : NamedForm<model::DType> {
};
template <>
struct Form<transformer::ShardingKind> : NamedForm<transformer::ShardingKind> {
};
template <>
struct Form<transformer::Activation> : NamedForm<transformer::Activation> {
};
template <>
struct Form<transformer::NormKind> : NamedForm<transformer::NormKind> {
};
template <>
struct Form<transformer::Positions> : NamedForm<transformer::Positions> {
};
template <>
struct Form<transformer::Biases> : NamedForm<transformer::Biases> {
};
template <>
struct Form<transformer::RoutingKind> : NamedForm<transformer::RoutingKind> {
};
template <>
struct Form<transformer::Activations> : NamedForm<transformer::Activations> {
};
template <>
struct Form<transformer::RecomputationPolicy> : NamedForm<transformer::RecomputationPolicy> {
};
template <>
struct Form<transformer::AttentionKind> : NamedForm<transformer::AttentionKind> {
};
template <>
struct Form<transformer::AttentionBackward> : NamedForm<transformer::AttentionBackward> {
};
template <>
struct Form<transformer::OptimizerSharding> : NamedForm<transformer::OptimizerSharding> {
};
template <>
struct Form<transformer::Mode> : NamedForm<transformer::Mode> {
};
template <>
struct Form<transformer::Precision> : NamedForm<transformer::Precision> {
};
template <>
struct Form<transformer::OptimizerKind> : NamedForm<transformer::OptimizerKind> {
};
template <>
struct Form<transformer::StateType> : NamedForm<transformer::StateType> {
};
template <>
struct Form<transformer::PipelineSchedule> : NamedForm<transformer::PipelineSchedule> {
};
template <>
struct Form<transformer::GradientOverlap> : NamedForm<transformer::GradientOverlap> {
};
template <>
struct Form<transformer::TensorOverlap> : NamedForm<transformer::TensorOverlap> {
};

template <>
struct Form<transformer::MeshRequest> {
    static Json write(const transformer::MeshRequest& mesh) { return json_of(mesh.lengths); }
    static void read(const Json& json, transformer::MeshRequest& mesh)
    {
        read_json(json, mesh.lengths);
    }
};

/// A policy's name, or {save, offload}.
template <>
struct Form<transformer::Recomputation> {
    static Json write(const transformer::Recomputation& recomputation)
    {
        return recomputation.words();
    }
    static void read(const Json& json, transformer::Recomputation& recomputation);
};

template <>
struct Form<transformer::OptimizerRequest> {
    static Json write(const transformer::OptimizerRequest& optimizer)
    {
        return name_of_value(optimizer.config.kind);
    }
    static void read(const Json& json, transformer::OptimizerRequest& optimizer);
};

} // namespace json_fields

namespace transformer {

template <class Fields>
void list_state(Fields& fields, OptimizerConfig& config)
{
    fields.newer("master", config.master,
                 "In what the weights that the optimizer changes are kept beside bf16 ones.");
}

struct AdamRequest {
    AdamOptions adam;
    OptimizerConfig config;
};
template <class Fields>
void list_fields(Fields& fields, AdamRequest& request)
{
    AdamOptions& adam = request.adam;
    fields.newer("learning_rate", adam.learning_rate, "Step size.", limits::above(0));
    fields.newer("beta1", adam.beta1, "Decay of the first moment.",
                 limits::and_below(limits::amount, 1));
    fields.newer("beta2", adam.beta2, "Decay of the second moment.",
                 limits::and_below(limits::amount, 1));
    fields.newer("epsilon", adam.epsilon, "Added to the root of the second moment.",
                 limits::above(0));
    fields.newer("moments", request.config.moments, "In what both moments are kept.");
    list_state(fields, request.config);
}

struct AdafactorRequest {
    OptimizerConfig config;
};
template <class Fields>
void list_fields(Fields& fields, AdafactorRequest& request)
{
    AdafactorOptions& adafactor = request.config.adafactor;
    fields.newer("learning_rate", adafactor.learning_rate, "Step size.", limits::above(0));
    fields.newer("decay_exponent", adafactor.decay_exponent,
                 "Of a second moment stays 1 - step^-decay_exponent.", limits::above(0));
    fields.newer("epsilon", adafactor.square_epsilon, "Added to each squared gradient.",
                 limits::above(0));
    fields.newer("clipping", adafactor.clipping, "Largest root mean square of an update.",
                 limits::above(0));
    list_state(fields, request.config);
}

struct SgdRequest {
    OptimizerConfig config;
};
template <class Fields>
void list_fields(Fields& fields, SgdRequest& request)
{
    fields.newer("learning_rate", request.config.sgd_learning_rate, "Step size.", limits::above(0));
    list_state(fields, request.config);
}

template <class Fields>
void list_fields(Fields& fields, InputRequest& input)
{
    fields("bytes_per_second", input.bytes_per_second, "That a host reads.", limits::above(0));
}

template <class Fields>
void list_fields(Fields& fields, ExpertsRequest& experts)
{
    fields("count", experts.count, "Experts of a layer. [the preset's]", limits::between(1, 10000));
    fields("per_token", experts.per_token, "To how many each token goes. [the preset's, or 1]",
           limits::between(1, 1000));
    fields("width", experts.width, "Of an expert's MLP. [the preset's]",
           limits::between(1, 1000000));
    fields("capacity", experts.capacity,
           "An expert takes ceil(capacity sequence per_token / count) tokens of a sequence, later "
           "ones are dropped; 0, and where a model serves: all that come. [the preset's, or 0]",
           limits::amount);
    fields("routing", experts.routing,
           "Where no numbers say which tokens go to which experts of several devices: trained: "
           "nearly as many to each, the largest device's share is uncertain. balanced: as many to "
           "each. text: counted, of a router of random numbers over the text's bytes. [trained]");
}

struct NamedActivations {
    std::vector<Activations> save, offload;
};
template <class Fields>
void list_fields(Fields& fields, NamedActivations& named)
{
    fields.unless_empty("save", named.save, "What the backward finds in HBM.");
    fields.unless_empty("offload", named.offload, "What goes to host memory and comes back.");
}

/// The preset's, or all of them.
template <class Fields>
void list_sizes(Fields& fields, SizesRequest& request)
{
    fields("layers", request.layers, "Blocks of attention and MLP. [the preset's]",
           limits::between(1, 10000));
    fields("hidden", request.hidden, "Width of the residual stream. [the preset's]",
           limits::between(1, 1000000));
    fields("heads", request.heads, "Attention heads. [the preset's]", limits::between(1, 100000));
    fields("kv_heads", request.kv_heads,
           "Heads of keys and values, each for as many queries' heads. [the preset's, or heads]",
           limits::between(1, 100000));
    fields("head_size", request.head_size, "Numbers of a head. [the preset's, or hidden / heads]",
           limits::between(1, 10000));
    fields("mlp_width", request.mlp_width,
           "Numbers between the products of an MLP. [the preset's, or 4 hidden]",
           limits::between(1, 10000000));
    fields("gated", request.gated,
           "Whether an MLP is activation(x gate) * (x up) in place of activation(x W). [the "
           "preset's, or false]");
    fields("activation", request.activation, "gelu in its tanh form. [the preset's, or gelu]");
    fields("norm", request.norm,
           "layer: mean and deviation. rms: root mean square. [the preset's, or layer]");
    fields("positions", request.positions,
           "learned: a table. rotary: queries and keys are turned. [the preset's, or learned]");
    fields("rope_theta", request.rope_theta,
           "Base of the angles of rotary positions. [the preset's, or 10000]", limits::above(1));
    fields("biases", request.biases, "Which products have one. [the preset's, or all]");
    fields("qk_norm", request.qk_norm,
           "Whether queries and keys are normalized head by head. [the preset's, or false]");
    fields("tied", request.tied,
           "Whether the head multiplies with the table of token embeddings. [the preset's, or "
           "true]");
    fields("window", request.window,
           "Tokens that a token attends to, itself among them. [the preset's, or all before it]",
           limits::between(1, 1000000));
    fields("vocabulary", request.vocabulary,
           "Tokens, padded as needed; 256 or more for numbers, which read bytes. [the preset's]",
           limits::between(1, 10000000));
    fields("sequence", request.sequence, "Tokens of a sequence. [the preset's]",
           limits::between(1, 1000000));
    fields("experts", request.experts,
           "A mixture of experts in the place of each MLP. [the preset's, or none]");
}

template <class Fields>
void list_placement(Fields& fields, TransformerRequest& request)
{
    fields.newer("sharding", request.config.sharding,
                 "1d: qkv and fc1 by columns, proj and fc2 by rows (Megatron-LM). 1d_sequence: as "
                 "1d, with normalizations and residuals split by tokens. 2d: blocks of batch and "
                 "hidden dimension on a square of devices, one panel at a time (SUMMA). "
                 "2d_gathered: the same, all panels at once.");
    fields.unless_empty(
        "mesh", request.mesh,
        "Axes of a grid of all devices, with their lengths; machine.axes or a search lays "
        "them on the slice. data: replicas, each with all parameters. fsdp: devices among which "
        "sequences and parameters are cut; weights are gathered where they are used (ZeRO-3). "
        "tensor: devices that share the products of 1d and 1d_sequence. sequence: among which each "
        "sequence is cut (ring attention). expert: to which experts are dealt. pipeline: stages. "
        "row, column: of 2d and 2d_gathered, both alike; devices of a row differ along row. One "
        "may be -1: what is left of the devices. Of a mesh that leaves devices over, tensor takes "
        "them where data is named, else data. [all devices along tensor for a model that serves, "
        "or "
        "has learned positions, and whose heads divide; else along fsdp]");
    fields.newer("recomputation", request.recomputation,
                 "What the backward computes again in place of keeping it: selective: attention's "
                 "scores and probabilities; dots: all but the results of products with weights; "
                 "full: all of a layer but its input; {save, offload}: all but these.");
    fields("attention", request.attention,
           "stored: scores and probabilities stand in HBM. flash: in VMEM, and the backward "
           "computes them again. A step of decode reads the cache once either way. [flash with "
           "rotary positions, stored with learned ones]");
    fields.newer("attention_backward", request.config.attention_backward,
                 "Of flash: one kernel of five products, or two of seven in all.");
    fields.newer("optimizer_sharding", request.config.optimizer_sharding,
                 "zero1: each replica (data) keeps the optimizer's state of its part of the "
                 "parameters; the mesh's fsdp is what ZeRO calls stage 3.");
    fields.newer("microbatches", request.config.microbatches,
                 "Parts of a device's sequences, one after the other; gradients are added up.",
                 limits::between(1, 100000));
    fields.newer(
        "pipeline_schedule", request.config.pipeline_schedule,
        "Of the mesh's pipeline. gpipe: all forwards, then all backwards. 1f1b: a backward "
        "as soon as one can be. interleaved: the same with several chunks of layers on "
        "each stage (Megatron-LM).");
    fields.newer("chunks", request.config.chunks, "Of each stage's layers, if interleaved.",
                 limits::between(1, 1000));
    fields.newer("gradient_overlap", request.config.gradient_overlap,
                 "When replicas sum up their gradients: after the backward (none), or each "
                 "layer's during the backward of the layer below it.");
    fields.newer("tensor_overlap", request.config.tensor_overlap,
                 "Of 1d_sequence: when tokens are gathered for products, and sums of products "
                 "scattered. none: before and after them. ring: beside them, in steps: part after "
                 "part goes round while others are multiplied (collective matmul). compiled: ring "
                 "where it is shorter by the rule of XLA's partitioner; never where cores wait for "
                 "permutes, where tensor lies along several axes of the slice, and with products "
                 "of 8 bits.");
}

template <class Fields>
void list_fields(Fields& fields, TransformerRequest& request)
{
    fields("preset", request.preset,
           "A published model; other fields beside it replace what they name.",
           limits::one_of(preset_names));
    list_sizes(fields, request.sizes);
    fields.newer("mode", request.config.mode,
                 "train: a step of training. prefill: all tokens of a batch of new sequences go "
                 "through the model at once. decode: one more token of each sequence of the batch, "
                 "with the keys and values of those before it in HBM.");
    fields("context", request.context,
           "Of decode: tokens of each sequence that came before. [sequence - 1]",
           limits::between(1, 100000000));
    fields.newer("batch", request.config.batch, "Sequences of a step, of all replicas.",
                 limits::between(1, 1000000));
    list_placement(fields, request);
    fields("input", request.input,
           "The step's input pipeline: each host reads token ids of 4 bytes from storage and sends "
           "them over PCIe, ahead of the devices. [none: a step's time is that of its compiled "
           "program on the devices]");
    fields.newer("dtype", request.config.dtype,
                 "Of weights, activations and what travels. f32 products take six bf16 passes; "
                 "sums, and Adam's state beside bf16 weights, are in f32.");
    fields.newer(
        "precision", request.config.precision,
        "Of the products with a layer's weights: in numbers of dtype; int8: 8 bits, scaled by "
        "rows and columns, but for the weights' gradients; fp8: e4m3, and e5m2 of gradients, "
        "scaled by the largest number. Factors are quantized by an op of their own each time; "
        "weights of a model that serves stand in HBM in 8 bits, with f32 scales. Where it trains, "
        "in a model without experts.");
    fields.newer("optimizer", request.optimizer, "adam, adafactor or sgd, or {NAME: options}.");
    fields.newer("steps", request.config.steps, "Training steps of a run with numbers.",
                 limits::between(1, 1000000));
    fields.newer("initial_stddev", request.config.initial_stddev,
                 "Of the parameters at the beginning; gammas are 1 beside it.", limits::above(0));
    fields("text", request.text,
           "A file whose bytes are trained on. [55 kB of English that come with the program]");
}

std::optional<int> MeshRequest::length_of(const std::string& axis) const
{
    const int place = place_of(axis);
    return place < 0 ? std::nullopt
                     : std::optional<int>(lengths[static_cast<std::size_t>(place)].second);
}

int MeshRequest::place_of(const std::string& axis) const
{
    const auto found = std::find_if(lengths.begin(), lengths.end(),
                                    [&](const auto& one) { return one.first == axis; });
    return found == lengths.end() ? -1 : static_cast<int>(found - lengths.begin());
}

TransformerRequest transformer_request(const Json& transformer)
{
    static const Json known = transformer_schema().at("properties");
    auto request = value_of_json<TransformerRequest>(transformer);
    for (const char* const field :
         {"attention_backward", "chunks", "gradient_overlap", "initial_stddev", "input",
          "optimizer", "optimizer_sharding", "pipeline_schedule", "recomputation", "steps"}) {
        const auto value = transformer.find(field);
        if (value != transformer.end() && *value != known.at(field).value("default", Json())) {
            request.of_training.emplace_back(field);
        }
    }
    const Json experts = transformer.value("experts", Json::object());
    if (request.text && experts.value("routing", "") != name_of_value(RoutingKind::text)) {
        request.of_training.emplace_back("text"); // nothing else reads it
    }
    return request;
}

} // namespace transformer

void json_fields::Form<transformer::OptimizerRequest>::read(
    const Json& json, transformer::OptimizerRequest& optimizer)
{
    if (json.is_string()) {
        optimizer.config.kind = value_of_json<transformer::OptimizerKind>(json);
    } else if (json.contains("adafactor")) {
        transformer::AdafactorRequest adafactor;
        read_inside("adafactor", json.at("adafactor"), adafactor);
        optimizer.config = adafactor.config;
        optimizer.config.kind = transformer::OptimizerKind::adafactor;
    } else if (json.contains("sgd")) {
        transformer::SgdRequest sgd;
        read_inside("sgd", json.at("sgd"), sgd);
        optimizer.config = sgd.config;
        optimizer.config.kind = transformer::OptimizerKind::sgd;
    } else {
        transformer::AdamRequest adam;
        read_inside("adam", json.at("adam"), adam);
        optimizer = {adam.config, adam.adam};
    }
}

void json_fields::Form<transformer::Recomputation>::read(const Json& json,
                                                         transformer::Recomputation& recomputation)
{
    if (json.is_string()) {
        recomputation = value_of_json<transformer::RecomputationPolicy>(json);
    } else {
        const auto named = value_of_json<transformer::NamedActivations>(json);
        recomputation = transformer::Recomputation(named.save, named.offload);
    }
}

namespace json_schema {
namespace {

/// Axes that a mesh may have, and what lies along each.
constexpr std::array<std::pair<const char*, const char*>, 8> axis_meanings{{
    {"data", "Replicas."},
    {"fsdp", "Devices among which sequences and parameters are cut."},
    {"tensor", "Devices that share the products of a layer."},
    {"sequence", "Devices among which each sequence is cut."},
    {"expert", "Devices to which experts are dealt."},
    {"pipeline", "Stages, each with some of the layers."},
    {"row", "Devices in a row of a 2d sharding."},
    {"column", "Devices in a column of a 2d sharding; as many."},
}};

} // namespace

template <>
struct Of<transformer::Recomputation> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        return {{"anyOf",
                 {of_type<transformer::RecomputationPolicy>({}, use),
                  of_type<transformer::NamedActivations>({}, use)}}};
    }
};

template <>
struct Of<transformer::MeshRequest> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        Json mesh{{"type", "object"}, {"additionalProperties", false}};
        for (const auto& [axis, meaning] : axis_meanings) {
            mesh["properties"][axis] = {{"description", meaning}};
            mesh["properties"][axis].update(of_type<int>(limits::between(-1, 1000000), use));
        }
        return mesh;
    }
};

template <>
struct Of<transformer::OptimizerRequest> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        Json options{{"type", "object"},
                     {"additionalProperties", false},
                     {"minProperties", 1},
                     {"maxProperties", 1}};
        const auto add = [&](const char* name, const char* meaning, const Json& schema) {
            options["properties"][name] = {{"description", meaning}};
            options["properties"][name].update(schema);
        };
        add("adam", "Adam (Kingma and Ba 2015).", of_type<transformer::AdamRequest>({}, use));
        add("adafactor", "Adafactor (Shazeer and Stern 2018).",
            of_type<transformer::AdafactorRequest>({}, use));
        add("sgd", "Stochastic gradient descent, without momentum.",
            of_type<transformer::SgdRequest>({}, use));
        return {{"anyOf", {of_type<transformer::OptimizerKind>({}, use), options}}};
    }
};

} // namespace json_schema

Json transformer::transformer_schema()
{
    Json schema{{"description", "A training step of a decoder-only transformer, or a step of "
                                "serving, sharded over the devices."}};
    schema.update(json_schema::of_type<TransformerRequest>({}, json_schema::Use::read));
    return schema;
}

} // namespace alxsim
