// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/workload.h"

#include "base/input_error.h"

#include <utility>

namespace alxsim::transformer {
namespace {

using workloads::Choice;
using workloads::Option;

const std::string fields = "/workload/transformer/";

/// What a study says for the job that `config` is, on so many devices; nothing where its sizes do
/// not divide so.
std::optional<Json> valid_mesh(const TransformerConfig& config, ShardingKind sharding, int devices,
                               int replicas, bool columns_first)
{
    TransformerConfig other = config;
    other.sharding = sharding;
    other.replicas = replicas;
    other.columns_first = columns_first;
    Json mesh{{"data", replicas}};
    const int parts = devices / replicas;
    if (other.is_two_dimensional()) {
        int side = 1;
        while (side * side < parts) {
            ++side;
        }
        if (side * side != parts || side == 1) {
            return std::nullopt;
        }
        mesh[columns_first ? "row" : "column"] = side;
        mesh[columns_first ? "column" : "row"] = side;
    } else {
        mesh["tensor"] = parts;
    }
    try {
        check_sizes(other, "", devices);
    } catch (const InputError&) {
        return std::nullopt;
    }
    return mesh;
}

std::string words_of(ShardingKind sharding, const Json& mesh)
{
    std::string words = "sharding " + name_of(sharding);
    for (const auto& item : mesh.items()) {
        if (item.value() != 1) {
            words += std::string(item.key() == mesh.begin().key() ? " of " : " x ") +
                     item.value().dump() + " " + item.key();
        }
    }
    return words;
}

/// How the batch, the weights and what stands between are dealt to the devices.
Choice sharding_choice(const TransformerConfig& config, int devices)
{
    Choice choice{"sharding", {{}}};
    for (const std::string& name : sharding_names()) {
        const ShardingKind sharding = sharding_named(name);
        for (int replicas = 1; replicas <= devices; replicas *= 2) {
            const bool alone = replicas == devices; // nothing is sharded: one entry will do
            if (devices % replicas != 0 || (alone && sharding != ShardingKind::one_dimensional)) {
                continue;
            }
            for (const bool columns_first : {false, true}) {
                const bool grid = sharding == ShardingKind::two_dimensional ||
                                  sharding == ShardingKind::two_dimensional_gathered;
                const auto mesh = columns_first && !grid ? std::nullopt
                                                         : valid_mesh(config, sharding, devices,
                                                                      replicas, columns_first);
                if (mesh) {
                    choice.options.push_back(
                        {words_of(sharding, *mesh),
                         {{fields + "sharding", name}, {fields + "mesh", *mesh}},
                         replicas == 1 && sharding == ShardingKind::one_dimensional});
                }
            }
        }
    }
    return choice;
}

Choice named_choice(const std::string& name, const std::vector<std::string>& values,
                    const std::vector<std::string>& effects)
{
    Choice choice{name, {{}}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        choice.options.push_back(
            {name + " " + values[i], {{fields + name, values[i]}}, i == 0, effects[i]});
    }
    return choice;
}

} // namespace

workloads::Choices choices_of(const TransformerConfig& config, int devices)
{
    workloads::Choices choices;
    choices.list = {
        sharding_choice(config, devices),
        named_choice("recomputation", recomputation_names(),
                     {"", "less memory: attention's scores and probabilities are computed twice",
                      "least memory: a layer's forward is computed twice"}),
        named_choice("gradient_overlap", {"none", "backward"},
                     {"", "replicas sum up a layer's gradients during the next layer's backward"}),
        {workloads::slice_choice, {{}}},
    };
    choices.blocks = {{"sharding", "recomputation", "gradient_overlap"}};
    choices.by_interest = {"sharding", "recomputation", "gradient_overlap"};
    return choices;
}

std::vector<std::string> choice_names()
{
    return {"sharding", "recomputation", "gradient_overlap"};
}

} // namespace alxsim::transformer
