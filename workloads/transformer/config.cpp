// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/config.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "workloads/transformer/request.h"

#include <algorithm>
#include <array>
#include <optional>

namespace alxsim::transformer {
namespace {

struct Preset {
    const char* name;
    ModelSize size;
};

/// Radford et al. 2019, table 2; 50,257 tokens padded to 50,304.
const std::array<Preset, 3> presets{{
    {"gpt2-small", {12, 768, 12, 50304, 1024}},
    {"gpt2-medium", {24, 1024, 16, 50304, 1024}},
    {"gpt2-large", {36, 1280, 20, 50304, 1024}},
}};

constexpr const char* pointer = "/workload/transformer";

ModelSize size_of(const TransformerRequest& request, const std::string& file)
{
    ModelSize size;
    if (request.preset) {
        size = std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) {
                   return preset.name == *request.preset;
               })->size; // the schema knows no others
    }
    struct Size {
        const char* name;
        const std::optional<std::int64_t>& asked;
        std::int64_t& value;
    };
    for (const Size& one :
         {Size{"layers", request.layers, size.layers}, Size{"hidden", request.hidden, size.hidden},
          Size{"heads", request.heads, size.heads},
          Size{"vocabulary", request.vocabulary, size.vocabulary},
          Size{"sequence", request.sequence, size.sequence}}) {
        one.value = one.asked.value_or(one.value);
        if (one.value == 0) {
            throw InputError(file, pointer,
                             std::string("found neither preset nor ") + one.name +
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

void lay_out(const MeshRequest& mesh, const std::string& file, int devices,
             TransformerConfig& config)
{
    const bool grid = config.is_two_dimensional();
    for (const char* const name : {"tensor", "row", "column"}) {
        if (mesh.length_of(name) && (std::string(name) == "tensor") == grid) {
            refuse_mesh(file,
                        std::string(name) + " with sharding " + name_of_value(config.sharding),
                        grid ? "data, row, column" : "data, tensor");
        }
    }
    const std::int64_t side = mesh.length_of("row").value_or(mesh.length_of("column").value_or(0));
    const std::int64_t column = mesh.length_of("column").value_or(side);
    const std::int64_t parts = grid ? side * side : mesh.length_of("tensor").value_or(0);
    if (grid && column != side) {
        refuse_mesh(file, "row " + std::to_string(side) + " and column " + std::to_string(column),
                    "both alike: the sharding is of a square");
    }
    const std::int64_t replicas = parts > 0 ? std::max<std::int64_t>(1, devices / parts) : 1;
    config.replicas = mesh.length_of("data").value_or(static_cast<int>(replicas));
    const int left = devices / config.replicas;
    const std::string machine = std::to_string(devices) + " devices of the machine";
    if (config.replicas * left != devices || (parts > 0 && parts != left)) {
        refuse_mesh(file, json_of(mesh.lengths).dump(), "axes whose lengths make the " + machine);
    }
    if (grid && !square_root(left)) {
        refuse_mesh(file, std::to_string(left) + " devices of a replica (" + machine + ")",
                    "a square number, for row and column; \"data\" takes the rest");
    }
    config.columns_first =
        mesh.place_of("column") > mesh.place_of("row") && mesh.place_of("row") >= 0;
    if (mesh.place_of("data") > 0) {
        refuse_mesh(file, json_of(mesh.lengths).dump(), "data before the other axes");
    }
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

std::vector<std::string> preset_names()
{
    std::vector<std::string> names;
    for (const Preset& preset : presets) {
        names.emplace_back(preset.name);
    }
    return names;
}

void check_sizes(const TransformerConfig& config, const std::string& file, int devices)
{
    const int left = devices / config.replicas;
    const bool grid = config.is_two_dimensional();
    const int parts = grid ? *square_root(left) : left;
    const std::string why = grid ? "the devices of a row or column" : "the devices of a replica";
    check_divides(file, "hidden", config.size.hidden, config.size.heads, "the heads");
    check_divides(file, "heads", config.size.heads, parts, why);
    check_divides(file, "hidden", config.size.hidden, parts, why);
    check_divides(file, "vocabulary", config.size.vocabulary, parts, why);
    check_divides(file, "batch", config.batch, std::int64_t{config.replicas} * (grid ? parts : 1),
                  grid ? "the replicas times the rows of devices" : "the replicas");
    if (config.sharding == ShardingKind::one_dimensional_sequence) {
        check_divides(file, "batch", config.batch / config.replicas * config.size.sequence, parts,
                      "the devices to which a replica's tokens (batch x sequence) are dealt");
    }
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
    lay_out(request.mesh, file, devices, config);
    check_sizes(config, file, devices);
    return config;
}

} // namespace alxsim::transformer
