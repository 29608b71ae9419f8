// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/request.h"

#include "base/schema/json_schema.h"

#include <algorithm>

namespace alxsim {

namespace model {

/// Those that a transformer may have.
constexpr std::array<ValueName<DType>, 3> value_names(DType /*any*/)
{
    return {{{"bf16", DType::bf16}, {"f32", DType::f32}, {"f64", DType::f64}}};
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
struct Form<transformer::Recomputation> : NamedForm<transformer::Recomputation> {
};
template <>
struct Form<transformer::GradientOverlap> : NamedForm<transformer::GradientOverlap> {
};

template <>
struct Form<transformer::MeshRequest> {
    static Json write(const transformer::MeshRequest& mesh) { return json_of(mesh.lengths); }
    static void read(const Json& json, transformer::MeshRequest& mesh)
    {
        read_json(json, mesh.lengths);
    }
};

template <>
struct Form<transformer::OptimizerRequest> {
    static Json write(const transformer::OptimizerRequest& /*optimizer*/) { return "adam"; }
    static void read(const Json& json, transformer::OptimizerRequest& optimizer);
};

} // namespace json_fields

namespace transformer {

template <class Fields>
void list_fields(Fields& fields, AdamOptions& adam)
{
    fields.newer("learning_rate", adam.learning_rate, limits::above(0));
    fields.newer("beta1", adam.beta1, limits::and_below(limits::amount, 1));
    fields.newer("beta2", adam.beta2, limits::and_below(limits::amount, 1));
    fields.newer("epsilon", adam.epsilon, limits::above(0));
}

template <class Fields>
void list_fields(Fields& fields, InputRequest& input)
{
    fields("bytes_per_second", input.bytes_per_second, "That a host reads.", limits::above(0));
}

/// The preset's, or all of them.
template <class Fields>
void list_sizes(Fields& fields, TransformerRequest& request)
{
    fields("layers", request.layers, "[the preset's]", limits::between(1, 10000));
    fields("hidden", request.hidden, "Width of the residual stream. [the preset's]",
           limits::between(1, 1000000));
    fields("heads", request.heads, "Attention heads. [the preset's]", limits::between(1, 100000));
    fields("vocabulary", request.vocabulary,
           "Tokens, padded as needed; 256 or more for numbers, which read bytes. [the preset's]",
           limits::between(1, 10000000));
    fields("sequence", request.sequence, "Tokens of a sequence. [the preset's]",
           limits::between(1, 1000000));
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
        "them on the slice. data: replicas. tensor: devices of a replica, of 1d and "
        "1d_sequence. row, column: of 2d and 2d_gathered, both alike; devices of a row "
        "differ along row. What is left out follows from the devices. [all devices in "
        "one replica]");
    fields.newer("recomputation", request.config.recomputation,
                 "What the backward computes again in place of keeping it: selective: attention's "
                 "scores and probabilities; full: all of a layer but its input.");
    fields.newer("gradient_overlap", request.config.gradient_overlap,
                 "When replicas sum up their gradients: after the backward (none), or each "
                 "layer's during the backward of the layer below it.");
}

template <class Fields>
void list_fields(Fields& fields, TransformerRequest& request)
{
    fields("preset", request.preset,
           "Sizes of a published model; layers, hidden, heads, vocabulary and sequence beside it "
           "replace one.",
           limits::one_of(preset_names));
    list_sizes(fields, request);
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
    fields.newer("optimizer", request.optimizer, "adam, or its options.");
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
    return value_of_json<TransformerRequest>(transformer);
}

} // namespace transformer

void json_fields::Form<transformer::OptimizerRequest>::read(
    const Json& json, transformer::OptimizerRequest& optimizer)
{
    if (json.is_object()) {
        read_inside("adam", json.at("adam"), optimizer.adam);
    }
}

namespace json_schema {

template <>
struct Of<transformer::MeshRequest> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        Json mesh{{"type", "object"}, {"additionalProperties", false}};
        for (const char* const axis : {"data", "tensor", "row", "column"}) {
            mesh["properties"][axis] = of_type<int>(limits::between(1, 1000000), use);
        }
        return mesh;
    }
};

template <>
struct Of<transformer::OptimizerRequest> {
    static Json schema(const FieldLimits& /*limits*/, Use use)
    {
        Json options{{"type", "object"}, {"additionalProperties", false}, {"required", {"adam"}}};
        options["properties"]["adam"] = of_type<transformer::AdamOptions>({}, use);
        return {{"anyOf", {{{"enum", {"adam"}}}, options}}};
    }
};

} // namespace json_schema

Json transformer::transformer_schema()
{
    Json schema{
        {"description", "A training step of a GPT-2-like transformer, sharded over the devices."}};
    schema.update(json_schema::of_type<TransformerRequest>({}, json_schema::Use::read));
    return schema;
}

} // namespace alxsim
