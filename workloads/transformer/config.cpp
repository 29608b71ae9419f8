// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/config.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "workloads/transformer/presets.h"
#include "workloads/transformer/request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace alxsim::transformer {
namespace {

constexpr const char* pointer = "/workload/transformer";

/// Those beside the preset's; of a model that has none, count and width are needed.
void take_experts(const ExpertsRequest& asked, Experts& experts, const std::string& file)
{
    experts.count = asked.count.value_or(experts.count);
    experts.per_token = asked.per_token.value_or(experts.per_token);
    experts.width = asked.width.value_or(experts.width);
    experts.capacity = asked.capacity.value_or(experts.capacity);
    experts.routing = asked.routing.value_or(experts.routing);
    if (experts.count == 0 || experts.width == 0) {
        throw InputError(file, std::string(pointer) + "/experts",
                         std::string("found no ") + (experts.count == 0 ? "count" : "width") +
                             "; allowed: count and width, or a preset that has experts");
    }
}

/// The preset's, with what stands beside it.
ModelSize size_of(const TransformerRequest& request, const std::string& file)
{
    ModelSize size = request.preset ? preset_of(*request.preset).size : ModelSize();
    const SizesRequest& asked = request.sizes;
    const auto take = [](const auto& from, auto& to) { to = from.value_or(to); };
    if (asked.vocabulary) {
        size.padding = 0;
    }
    take(asked.layers, size.layers);
    take(asked.hidden, size.hidden);
    take(asked.heads, size.heads);
    take(asked.vocabulary, size.vocabulary);
    take(asked.sequence, size.sequence);
    take(asked.kv_heads, size.kv_heads);
    take(asked.head_size, size.head_size);
    take(asked.mlp_width, size.mlp_width);
    take(asked.gated, size.gated);
    take(asked.activation, size.activation);
    take(asked.norm, size.norm);
    take(asked.positions, size.positions);
    take(asked.rope_theta, size.rope_theta);
    take(asked.biases, size.biases);
    take(asked.qk_norm, size.qk_norm);
    take(asked.tied, size.tied);
    take(asked.window, size.window);
    if (asked.experts) {
        take_experts(*asked.experts, size.experts, file);
    }
    for (const auto& [name, value] :
         {std::pair("layers", size.layers), std::pair("hidden", size.hidden),
          std::pair("heads", size.heads), std::pair("vocabulary", size.vocabulary),
          std::pair("sequence", size.sequence)}) {
        if (value == 0) {
            throw InputError(file, pointer,
                             std::string("found neither preset nor ") + name +
                                 "; allowed: \"preset\": " + join(preset_names(), " | ") +
                                 ", or layers, hidden, heads, vocabulary and sequence");
        }
    }
    return size;
}

/// q of q x q; nothing if it is no square.
std::optional<int> square_root(int parts)
{
    int root = 1;
    while (root * root < parts) {
        ++root;
    }
    return root * root == parts ? std::optional<int>(root) : std::nullopt;
}

[[noreturn]] void refuse_mesh(const std::string& file, const std::string& found,
                              const std::string& allowed)
{
    throw InputError(file, std::string(pointer) + "/mesh",
                     "found " + found + "; allowed: " + allowed);
}

/// Lengths as they are asked for: of -1 what is left of the devices, of 0 nothing was said.
struct AskedAxis {
    const char* name;
    int& length;
    int asked = 0;
};

void check_names(const MeshRequest& mesh, const std::string& file, const TransformerConfig& config)
{
    const bool grid = config.is_two_dimensional();
    for (const auto& [name, length] : mesh.lengths) {
        const bool of_grid = name == "row" || name == "column";
        if (length == 0 || (length < 0 && of_grid)) {
            refuse_mesh(file, name + " " + std::to_string(length),
                        of_grid ? "1 or more" : "1 or more, or -1 for what is left");
        }
        if (name != "data" && of_grid != grid) {
            refuse_mesh(file, name + " with sharding " + name_of_value(config.sharding),
                        grid ? "data, row, column"
                             : "data, fsdp, tensor, sequence, expert, pipeline");
        }
    }
    if (std::count_if(mesh.lengths.begin(), mesh.lengths.end(),
                      [](const auto& one) { return one.second < 0; }) > 1) {
        refuse_mesh(file, json_of(mesh.lengths).dump(), "one axis of -1, which takes what is left");
    }
    if (grid && mesh.place_of("data") > 0) {
        refuse_mesh(file, json_of(mesh.lengths).dump(), "data before the other axes");
    }
}

/// What a square's row and column ask for: devices of a replica.
int square_of(const MeshRequest& mesh, const std::string& file)
{
    const int side = mesh.length_of("row").value_or(mesh.length_of("column").value_or(0));
    const int column = mesh.length_of("column").value_or(side);
    if (column != side) {
        refuse_mesh(file, "row " + std::to_string(side) + " and column " + std::to_string(column),
                    "both alike: the sharding is of a square");
    }
    return side * side;
}

/// Which axis takes the devices that no other has: the one that asks for them (-1); of a mesh that
/// names nothing, the model's (`natural`); else tensor if data is named, or data.
AskedAxis& rest_axis(std::vector<AskedAxis>& axes, const char* natural)
{
    const auto named = [&](const std::string& name) -> AskedAxis& {
        return *std::find_if(axes.begin(), axes.end(),
                             [&](const AskedAxis& one) { return one.name == name; });
    };
    for (AskedAxis& one : axes) {
        if (one.asked == -1) {
            return one;
        }
    }
    const bool names_nothing =
        std::all_of(axes.begin(), axes.end(), [](const AskedAxis& one) { return one.asked == 0; });
    if (names_nothing) {
        return named(natural);
    }
    return named("data").asked > 0 && named("tensor").asked == 0 ? named("tensor") : named("data");
}

void lay_out(const MeshRequest& mesh, const std::string& file, int devices,
             TransformerConfig& config)
{
    check_names(mesh, file, config);
    const bool grid = config.is_two_dimensional();
    MeshLengths& lengths = config.mesh;
    std::vector<AskedAxis> axes{{"data", lengths.data},     {"fsdp", lengths.fsdp},
                                {"tensor", lengths.tensor}, {"sequence", lengths.sequence},
                                {"expert", lengths.expert}, {"pipeline", lengths.pipeline}};
    int product = 1;
    for (AskedAxis& one : axes) {
        one.asked = grid && &one.length == &lengths.tensor ? square_of(mesh, file)
                                                           : mesh.length_of(one.name).value_or(0);
        one.length = std::max(1, one.asked);
        product *= one.length;
    }
    const std::int64_t keys = config.size.keys();
    const bool divides = config.size.heads % devices == 0 &&
                         (keys % devices == 0 || (!config.trains() && devices % keys == 0));
    const bool cuts_products = !config.trains() || config.size.positions == Positions::learned;
    const char* const natural = grid || (cuts_products && divides) ? "tensor" : "fsdp";
    AskedAxis& rest = rest_axis(axes, natural);
    const std::string machine = std::to_string(devices) + " devices of the machine";
    if (devices % product != 0 || (rest.asked > 0 && product != devices)) {
        refuse_mesh(file, json_of(mesh.lengths).dump(),
                    "axes whose lengths make the " + machine +
                        " (a name like v5p-64 counts TensorCores: 64 are 32 chips, and 32 devices; "
                        "-1 takes what the others leave)");
    }
    rest.length *= devices / product;
    if (grid && !square_root(lengths.tensor)) {
        refuse_mesh(file,
                    std::to_string(lengths.tensor) + " devices of a replica (" + machine + ")",
                    "a square number, for row and column; \"data\" takes the rest");
    }
    config.columns_first =
        mesh.place_of("column") > mesh.place_of("row") && mesh.place_of("row") >= 0;
}

/// A value that is no multiple of `parts` is refused.
void check_divides(const std::string& file, const std::string& field, std::int64_t value,
                   std::int64_t parts, const std::string& why)
{
    if (value % parts != 0) {
        throw InputError(file, std::string(pointer) + "/" + field,
                         "found " + std::to_string(value) + "; allowed: multiples of " +
                             std::to_string(parts) + ", " + why);
    }
}

} // namespace

model::DType TransformerConfig::layer_weight_type() const
{
    if (trains() || precision == Precision::dtype) {
        return dtype;
    }
    return precision == Precision::int8 ? model::DType::i8 : model::DType::fp8_e4m3;
}

int TransformerConfig::side() const
{
    return is_two_dimensional() ? square_root(mesh.tensor).value_or(1) : 1;
}

namespace {

/// An all-reduce stays whole, as compiled; scales of 8 bits are of a whole array.
void check_tensor_overlap(const TransformerConfig& config, const std::string& file)
{
    if (config.tensor_overlap != TensorOverlap::ring) {
        return;
    }
    const auto refuse = [&](const std::string& found, const std::string& allowed) {
        throw InputError(file, std::string(pointer) + "/tensor_overlap",
                         "found ring with " + found + "; allowed: with " + allowed +
                             ", or compiled and none");
    };
    if (config.sharding != ShardingKind::one_dimensional_sequence) {
        refuse(std::string("sharding ") + name_of_value(config.sharding),
               "sharding 1d_sequence, which gathers tokens and scatters sums");
    }
    if (config.precision != Precision::dtype) {
        refuse(std::string("precision ") + name_of_value(config.precision), "precision dtype");
    }
    if (config.mesh.tensor == 1) {
        refuse("tensor 1, along which nothing goes round", "more devices along tensor");
    }
}

/// What a two-dimensional sharding has no form for.
void check_grid(const TransformerConfig& config, const std::string& file)
{
    const auto refuse = [&](const char* field, const std::string& found,
                            const std::string& allowed) {
        throw InputError(file, std::string(pointer) + "/" + field,
                         "found " + found + " with sharding " + name_of_value(config.sharding) +
                             "; allowed: " + allowed + ", or sharding 1d and 1d_sequence");
    };
    if (config.size.norm != NormKind::layer) {
        refuse("norm", name_of_value(config.size.norm), "layer");
    }
    if (config.size.qk_norm) {
        refuse("qk_norm", "true", "false");
    }
    if (!config.size.tied) {
        refuse("tied", "false", "true");
    }
    if (config.size.experts.exist()) {
        refuse("experts", "experts", "none");
    }
    if (config.optimizer.kind == OptimizerKind::adafactor) {
        refuse("optimizer", "adafactor", "adam, sgd");
    }
    if (config.precision != Precision::dtype) {
        refuse("precision", name_of_value(config.precision), "dtype");
    }
}

void check_experts(const TransformerConfig& config, const std::string& file)
{
    const Experts& experts = config.size.experts;
    if (!experts.exist()) {
        if (config.mesh.expert > 1) {
            refuse_mesh(file, "expert " + std::to_string(config.mesh.expert),
                        "none in a model without \"experts\"");
        }
        return;
    }
    if (config.optimizer.kind == OptimizerKind::adafactor) {
        throw InputError(file, std::string(pointer) + "/optimizer",
                         "found adafactor for a model with experts; allowed: adam, sgd");
    }
    check_divides(file, "experts/count", experts.count, config.mesh.expert,
                  "the devices to which experts are dealt");
    check_divides(file, "experts/width", experts.width, config.mesh.tensor,
                  "the devices of an expert's product");
    if (experts.capacity > 0 && config.mesh.sequence > 1) {
        throw InputError(file, std::string(pointer) + "/experts/capacity",
                         "found a capacity where the tokens of a sequence are cut (mesh/sequence " +
                             std::to_string(config.mesh.sequence) +
                             "); allowed: 0, or sequences that are not cut");
    }
    if (config.trains() && config.precision != Precision::dtype) {
        throw InputError(file, std::string(pointer) + "/precision",
                         std::string("found ") + name_of_value(config.precision) +
                             " for a mixture of experts that trains; allowed: dtype, as gradients "
                             "of experts' products have no form in 8 bits here; with mode prefill "
                             "and decode all");
    }
    if (experts.per_token > experts.count) {
        throw InputError(file, std::string(pointer) + "/experts/per_token",
                         "found " + std::to_string(experts.per_token) +
                             "; allowed: up to the experts, " + std::to_string(experts.count));
    }
}

/// Layers are dealt to the chunks of all stages.
void check_pipeline(const TransformerConfig& config, const std::string& file)
{
    const auto refuse = [&](const char* field, const std::string& found,
                            const std::string& allowed) {
        throw InputError(file, std::string(pointer) + "/" + field,
                         "found " + found + "; allowed: " + allowed);
    };
    const int stages = config.mesh.pipeline;
    const bool interleaved = config.pipeline_schedule == PipelineSchedule::interleaved;
    check_divides(file, "layers", config.size.layers, std::int64_t{stages} * config.chunks,
                  config.chunks > 1 ? "the chunks of all stages" : "the stages");
    if (config.chunks > 1 && (!interleaved || stages == 1)) {
        refuse("chunks", std::to_string(config.chunks),
               "1, or several in an interleaved pipeline (pipeline_schedule, mesh)");
    }
    if (interleaved && config.microbatches % stages != 0) {
        refuse("microbatches", std::to_string(config.microbatches),
               "multiples of the " + std::to_string(stages) + " stages of an interleaved pipeline");
    }
    if (stages > 1 && config.is_two_dimensional()) {
        refuse("mesh/pipeline", std::to_string(stages),
               "1 with sharding " + name_of_value(config.sharding) + ", or sharding 1d");
    }
}

/// What a model that serves has no use for.
void check_serving(const TransformerConfig& config, const std::string& file)
{
    const auto refuse = [&](const std::string& field, const std::string& found,
                            const std::string& allowed) {
        throw InputError(file, std::string(pointer) + "/" + field,
                         "found " + found + " with mode " + name_of_value(config.mode) +
                             "; allowed: " + allowed);
    };
    if (config.sharding != ShardingKind::one_dimensional) {
        refuse("sharding", name_of_value(config.sharding), "1d");
    }
    if (config.mesh.sequence > 1 || config.mesh.pipeline > 1) {
        refuse("mesh", config.mesh.sequence > 1 ? "sequence" : "pipeline",
               "data, fsdp, tensor, expert");
    }
    if (config.microbatches > 1) {
        refuse("microbatches", std::to_string(config.microbatches), "1");
    }
    const bool is_decode = config.mode == Mode::decode;
    if (is_decode && config.size.positions == Positions::learned &&
        config.context >= config.size.sequence) {
        refuse("context", std::to_string(config.context),
               "less than the table of positions has rows (sequence), " +
                   std::to_string(config.size.sequence));
    }
    if (!is_decode && config.context > 0) {
        refuse("context", std::to_string(config.context),
               "none: a prefill's sequences begin with it; \"sequence\" says how long they are");
    }
}

/// With fewer heads of keys and values than devices that share products, a model that serves has
/// one on several devices, in their caches, too. Gradients of such heads have no sum here.
void check_key_heads(const TransformerConfig& config, int parts, const std::string& why,
                     const std::string& file)
{
    const std::int64_t heads = config.size.keys();
    if (parts <= heads || config.trains()) {
        check_divides(file, "kv_heads", heads, parts,
                      why + (config.trains() && parts > heads
                                 ? "; or mode prefill and decode, where several may have the same"
                                 : ""));
    } else if (parts % heads != 0) {
        throw InputError(file, std::string(pointer) + "/kv_heads",
                         "found " + std::to_string(heads) + "; allowed: what divides " +
                             std::to_string(parts) + ", " + why +
                             ", so that as many have each, or multiples of it");
    }
}

} // namespace

void check_sizes(const TransformerConfig& config, const std::string& file)
{
    if (config.trains() && config.context > 0) {
        throw InputError(file, std::string(pointer) + "/context",
                         "found " + std::to_string(config.context) +
                             " with mode train; allowed: none, \"sequence\" says how many tokens "
                             "a sequence has");
    }
    if (!config.trains()) {
        check_serving(config, file);
    }
    const ModelSize& size = config.size;
    const bool grid = config.is_two_dimensional();
    const int parts = grid ? config.side() : config.mesh.tensor;
    const std::string why =
        grid ? "the devices of a row or column" : "the devices that share products (tensor)";
    if (size.head_size == 0) {
        check_divides(file, "hidden", size.hidden, size.heads, "the heads");
    }
    if (size.positions == Positions::rotary) {
        check_divides(file, "head_size", size.head_width(), 2, "the halves of a head that turn");
    }
    check_divides(file, "heads", size.heads, parts, why);
    check_divides(file, "heads", size.heads, size.keys(), "the heads of keys and values");
    check_key_heads(config, parts, why, file);
    check_divides(file, "hidden", size.hidden, parts, why);
    check_divides(file, "mlp_width", size.inner_width(), parts, why);
    check_divides(file, "vocabulary", size.vocabulary, parts, why);
    check_pipeline(config, file);
    check_divides(file, "batch", config.batch,
                  config.mesh.batch_parts() * config.microbatches * (grid ? parts : 1),
                  grid ? "the replicas times the rows of devices"
                       : "the devices to which sequences are dealt (data, fsdp, expert), times "
                         "microbatches");
    if (config.mesh.sequence > 1) {
        check_divides(file, "sequence", size.sequence, 2 * config.mesh.sequence,
                      "two pieces for each device of a sequence");
        if (config.stores_scores()) {
            throw InputError(
                file, std::string(pointer) + "/attention",
                "found stored with mesh sequence " + std::to_string(config.mesh.sequence) +
                    "; allowed: flash, whose keys and values go from device to device");
        }
    }
    check_tensor_overlap(config, file);
    if (config.sharding == ShardingKind::one_dimensional_sequence) {
        check_divides(file, "batch", config.sequences() * config.length(), parts,
                      "the devices to which a replica's tokens (batch x sequence) are dealt");
    }
    check_experts(config, file);
    if (grid) {
        check_grid(config, file);
    }
}

std::vector<std::int64_t> timing_key(const TransformerConfig& config)
{
    const ModelSize& size = config.size;
    const MeshLengths& mesh = config.mesh;
    const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
    std::vector<std::int64_t> key{size.layers,
                                  size.hidden,
                                  size.heads,
                                  size.vocabulary,
                                  size.sequence,
                                  size.kv_heads,
                                  size.head_size,
                                  size.mlp_width,
                                  number(size.gated),
                                  number(size.activation),
                                  number(size.norm),
                                  number(size.positions),
                                  number(size.biases),
                                  number(size.qk_norm),
                                  number(size.tied),
                                  size.window,
                                  size.experts.count,
                                  size.experts.per_token,
                                  size.experts.width,
                                  number(size.experts.capacity * 1e6),
                                  mesh.data,
                                  mesh.pipeline,
                                  mesh.fsdp,
                                  mesh.expert,
                                  mesh.sequence,
                                  mesh.tensor,
                                  config.batch,
                                  config.microbatches,
                                  number(config.pipeline_schedule),
                                  config.chunks,
                                  number(config.sharding),
                                  number(config.columns_first),
                                  number(config.attention),
                                  number(config.attention_backward),
                                  config.recomputation.key(),
                                  number(config.dtype),
                                  number(config.precision),
                                  number(config.gradient_overlap),
                                  config.in_rings.key(),
                                  number(config.optimizer_sharding),
                                  number(config.mode),
                                  config.context,
                                  number(config.optimizer.kind),
                                  number(config.optimizer.moments),
                                  number(config.optimizer.master),
                                  number(config.input_bytes_per_second > 0)};
    key.push_back(number(config.expert_loads.largest * 1e9));
    for (const double load : config.expert_loads.of_devices) {
        key.push_back(number(load * 1e9));
    }
    return key;
}

TransformerConfig config_of(const TransformerRequest& request, const std::string& file, int devices)
{
    TransformerConfig config = request.config;
    config.size = size_of(request, file);
    config.input_bytes_per_second = request.input.value_or(InputRequest()).bytes_per_second;
    if (request.text) {
        config.text = resolve_path(*request.text, file);
    }
    config.adam = request.optimizer.adam;
    config.optimizer = request.optimizer.config;
    config.attention = request.attention.value_or(
        config.size.positions == Positions::rotary ? AttentionKind::flash : AttentionKind::stored);
    if (!config.trains()) { // as MaxText's, whose capacity is of training alone
        config.size.experts.capacity = 0;
    }
    // What serves keeps nothing for a backward.
    for (const auto& [name, what] : value_names(Activations())) {
        if (request.recomputation.saves(what) && request.recomputation.offloads(what)) {
            throw InputError(file, std::string(pointer) + "/recomputation",
                             std::string("found ") + name +
                                 " in both save and offload; allowed: each in one of them");
        }
    }
    config.recomputation =
        config.trains() ? request.recomputation : Recomputation(RecomputationPolicy::full);
    if (!config.trains() && !request.of_training.empty()) {
        const std::string& field = request.of_training.front();
        throw InputError(file, std::string(pointer) + "/" + field,
                         "found " + join(request.of_training) + " with mode " +
                             name_of_value(config.mode) +
                             "; allowed: mode train, or without what is of training alone");
    }
    config.context = request.context.value_or(
        config.mode == Mode::decode ? std::max<std::int64_t>(1, config.size.sequence - 1) : 0);
    lay_out(request.mesh, file, devices, config);
    config.mesh_is_assumed = request.mesh.empty() && devices > 1;
    check_sizes(config, file);
    return config;
}

} // namespace alxsim::transformer
