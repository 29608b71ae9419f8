// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/workload.h"

namespace alxsim::transformer {
namespace {

using workloads::Choice;

const std::string fields = "/workload/transformer/";

/// To how many replicas a batch may be dealt, in powers of two, whatever the sharding.
Choice mesh_choice(const TransformerConfig& config, int devices)
{
    Choice choice{"mesh", {{}}};
    for (int replicas = 1; replicas <= devices && 4 * config.batch % replicas == 0; replicas *= 2) {
        if (devices % replicas == 0) {
            choice.options.push_back({std::to_string(replicas) +
                                          (replicas == 1 ? " replica of " : " replicas of ") +
                                          std::to_string(devices / replicas),
                                      {{fields + "mesh", {{"data", replicas}}}},
                                      replicas == 1});
        }
    }
    return choice;
}

/// Sequences of a step, from a quarter of the study's to four times as many.
Choice batch_choice(const TransformerConfig& config)
{
    Choice choice{"batch", {{}}};
    for (const std::int64_t batch :
         {config.batch / 4, config.batch / 2, config.batch, config.batch * 2, config.batch * 4}) {
        if (batch >= 1 && (batch >= config.batch || config.batch % batch == 0)) {
            choice.options.push_back({"batch " + std::to_string(batch),
                                      {{fields + "batch", batch}},
                                      false,
                                      "this changes the training: the same tokens take another "
                                      "number of steps"});
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

workloads::Choices choices_of(const TransformerConfig& config, const topologies::Machine& machine)
{
    workloads::Choices choices;
    choices.list = {
        named_choice("sharding", names_of_values<ShardingKind>(),
                     {"", "normalizations and residuals are split by tokens: less memory",
                      "blocks of batch and hidden dimension, one panel at a time (SUMMA)",
                      "the same, all panels at once"}),
        mesh_choice(config, machine.devices),
        batch_choice(config),
        named_choice("recomputation", names_of_values<RecomputationPolicy>(),
                     {"", "less memory: attention's scores and probabilities are computed twice",
                      "less memory: all but products with weights is computed twice",
                      "least memory: a layer's forward is computed twice"}),
        named_choice("gradient_overlap", names_of_values<GradientOverlap>(),
                     {"", "replicas sum up a layer's gradients during the next layer's backward"}),
        {workloads::slice_choice, {{}}},
    };
    choices.blocks = {{"sharding", "mesh"}, {"batch", "recomputation", "gradient_overlap"}};
    choices.family = {"sharding"};
    choices.ladders = {"batch"};
    choices.by_interest = {"sharding", "mesh", "batch", "recomputation", "gradient_overlap"};
    return choices;
}

std::vector<std::string> choice_names()
{
    return {"sharding", "mesh", "batch", "recomputation", "gradient_overlap"};
}

} // namespace alxsim::transformer
