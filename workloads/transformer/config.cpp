// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/config.h"

#include "base/input_error.h"
#include "base/paths.h"
#include "model/graph/work_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace alxsim::transformer {
namespace {

const std::array<std::pair<const char*, ShardingKind>, 4> shardings{{
    {"1d", ShardingKind::one_dimensional},
    {"1d_sequence", ShardingKind::one_dimensional_sequence},
    {"2d", ShardingKind::two_dimensional},
    {"2d_gathered", ShardingKind::two_dimensional_gathered},
}};

const std::array<std::pair<const char*, Recomputation>, 3> recomputations{{
    {"none", Recomputation::none},
    {"selective", Recomputation::selective},
    {"full", Recomputation::full},
}};

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

template <class Table>
auto value_named(const Table& table, const std::string& name)
{
    const auto place = std::find_if(table.begin(), table.end(),
                                    [&](const auto& one) { return one.first == name; });
    return place->second; // the schema knows no others
}

template <class Table, class Value>
std::string name_in(const Table& table, Value value)
{
    const auto place = std::find_if(table.begin(), table.end(),
                                    [&](const auto& one) { return one.second == value; });
    return place->first;
}

constexpr const char* pointer = "/workload/transformer";

ModelSize size_of(const Json& job, const std::string& file)
{
    ModelSize size;
    if (job.contains("preset")) {
        const auto name = job.at("preset").get<std::string>();
        size = std::find_if(presets.begin(), presets.end(), [&](const Preset& preset) {
                   return preset.name == name;
               })->size;
    }
    const std::array<std::pair<const char*, std::int64_t*>, 5> sizes{{
        {"layers", &size.layers},
        {"hidden", &size.hidden},
        {"heads", &size.heads},
        {"vocabulary", &size.vocabulary},
        {"sequence", &size.sequence},
    }};
    for (const auto& [name, value] : sizes) {
        if (job.contains(name)) {
            *value = job.at(name).get<std::int64_t>();
        } else if (*value == 0) {
            throw InputError(file, pointer,
                             std::string("found neither preset nor ") + name +
                                 "; allowed: \"preset\": " + join(preset_names(), " | ") +
                                 ", or layers, hidden, heads, vocabulary and sequence");
        }
    }
    return size;
}

void read_adam(const Json& job, AdamOptions& adam)
{
    if (!job.at("optimizer").is_object()) {
        return;
    }
    const Json& options = job.at("optimizer").at("adam");
    adam.learning_rate = options.value("learning_rate", adam.learning_rate);
    adam.beta1 = options.value("beta1", adam.beta1);
    adam.beta2 = options.value("beta2", adam.beta2);
    adam.epsilon = options.value("epsilon", adam.epsilon);
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

void read_mesh(const Json& job, const std::string& file, int devices, TransformerConfig& config)
{
    const Json mesh = job.value("mesh", Json::object());
    const bool grid = config.is_two_dimensional();
    for (const char* const name : {"tensor", "row", "column"}) {
        if (mesh.contains(name) && (std::string(name) == "tensor") == grid) {
            refuse_mesh(file, std::string(name) + " with sharding " + name_of(config.sharding),
                        grid ? "data, row, column" : "data, tensor");
        }
    }
    const std::int64_t side = mesh.value("row", mesh.value("column", 0));
    const std::int64_t parts = grid ? side * side : mesh.value("tensor", 0);
    if (grid && mesh.value("column", side) != side) {
        refuse_mesh(file,
                    "row " + std::to_string(side) + " and column " +
                        std::to_string(mesh.value("column", side)),
                    "both alike: the sharding is of a square");
    }
    const std::int64_t replicas = parts > 0 ? std::max<std::int64_t>(1, devices / parts) : 1;
    config.replicas = mesh.value("data", static_cast<int>(replicas));
    const int left = devices / config.replicas;
    const std::string machine = std::to_string(devices) + " devices of the machine";
    if (config.replicas * left != devices || (parts > 0 && parts != left)) {
        refuse_mesh(file, mesh.dump(), "axes whose lengths make the " + machine);
    }
    if (grid && !square_root(left)) {
        refuse_mesh(file, std::to_string(left) + " devices of a replica (" + machine + ")",
                    "a square number, for row and column; \"data\" takes the rest");
    }
    const auto place_of = [&](const char* name) {
        int place = 0;
        for (const auto& item : mesh.items()) {
            if (item.key() == name) {
                return place;
            }
            ++place;
        }
        return -1;
    };
    config.columns_first = place_of("column") > place_of("row") && place_of("row") >= 0;
    if (place_of("data") > 0) {
        refuse_mesh(file, mesh.dump(), "data before the other axes");
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

template <class Table>
std::vector<std::string> names_of(const Table& table)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : table) {
        names.emplace_back(name);
    }
    return names;
}

} // namespace

const std::vector<std::string>& sharding_names()
{
    static const std::vector<std::string> names = names_of(shardings);
    return names;
}

const std::vector<std::string>& recomputation_names()
{
    static const std::vector<std::string> names = names_of(recomputations);
    return names;
}

std::string name_of(ShardingKind sharding)
{
    return name_in(shardings, sharding);
}

std::string name_of(Recomputation recomputation)
{
    return name_in(recomputations, recomputation);
}

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

ShardingKind sharding_named(const std::string& name)
{
    return value_named(shardings, name);
}

TransformerConfig config_of(const Json& job, const std::string& file, int devices)
{
    TransformerConfig config;
    config.size = size_of(job, file);
    config.batch = job.at("batch");
    config.sharding = value_named(shardings, job.at("sharding").get<std::string>());
    config.recomputation = value_named(recomputations, job.at("recomputation").get<std::string>());
    config.gradient_overlap = job.at("gradient_overlap") == "backward" ? GradientOverlap::backward
                                                                       : GradientOverlap::none;
    config.dtype = model::dtype_named(job.at("dtype").get<std::string>());
    config.input_bytes_per_second =
        job.value("input", Json::object()).value("bytes_per_second", 0.0);
    config.steps = job.at("steps");
    config.initial_stddev = job.at("initial_stddev");
    if (job.contains("text")) {
        config.text = resolve_path(job.at("text").get<std::string>(), file);
    }
    read_adam(job, config.adam);
    read_mesh(job, file, devices, config);
    check_sizes(config, file, devices);
    return config;
}

} // namespace alxsim::transformer
