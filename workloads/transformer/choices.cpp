// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/workload.h"

namespace alxsim::transformer {
namespace {

using workloads::Choice;

const std::string fields = "/workload/transformer/";

/// Meshes of a number of devices, in powers of two. A search also changes the batch, to four times
/// as much, so that what would divide that is among them.
class MeshOptions {
public:
    MeshOptions(const TransformerConfig& config, int devices) : config_(config), devices_(devices)
    {
    }

    Choice all()
    {
        replicas();
        for (int tensor = 1; tensor <= 16; tensor *= 2) {
            cut_weights(tensor);
        }
        for (int number = 2; number <= 8; number *= 2) {
            replicas_of_cut_weights(number);
            stages(number);
        }
        return std::move(choice_);
    }

private:
    bool shares_products(int tensor) const
    {
        return devices_ % tensor == 0 && config_.size.heads % tensor == 0 &&
               config_.size.keys() % tensor == 0 && config_.size.inner_width() % tensor == 0;
    }
    bool deals_batch(std::int64_t parts) const { return 4 * config_.batch % parts == 0; }
    void add(const std::string& words, Json mesh, const std::string& effect,
             bool is_default = false)
    {
        choice_.options.push_back(
            {words, {{fields + "mesh", std::move(mesh)}}, is_default, effect});
    }

    void replicas()
    {
        const bool is_natural = config_.size.positions == Positions::learned;
        for (int number = 1; number <= devices_; number *= 2) {
            if (devices_ % number != 0 || !deals_batch(number) ||
                !shares_products(devices_ / number)) {
                continue;
            }
            add(std::to_string(number) + (number == 1 ? " replica of " : " replicas of ") +
                    std::to_string(devices_ / number),
                {{"data", number}}, "", is_natural && number == 1);
        }
    }

    /// ZeRO-3 over whatever tensor parallelism leaves.
    void cut_weights(int tensor)
    {
        if (devices_ <= tensor || !shares_products(tensor) || !deals_batch(devices_ / tensor)) {
            return;
        }
        Json mesh{{"fsdp", -1}};
        if (tensor > 1) {
            mesh["tensor"] = tensor;
        }
        const bool is_natural = config_.size.positions == Positions::rotary && tensor == 1;
        add("fsdp of " + std::to_string(devices_ / tensor) +
                (tensor > 1 ? ", tensor " + std::to_string(tensor) : ""),
            mesh, "weights and optimizer are cut, and gathered layer by layer", is_natural);
    }

    void replicas_of_cut_weights(int number)
    {
        if (devices_ % number == 0 && devices_ > number && deals_batch(devices_)) {
            add(std::to_string(number) + " replicas of fsdp " + std::to_string(devices_ / number),
                {{"data", number}, {"fsdp", -1}},
                "weights are gathered among fewer, gradients of the parts summed over replicas");
        }
    }

    /// With as many microbatches as the batch has for each device, at most four for each stage.
    void stages(int number)
    {
        if (devices_ % number != 0 || devices_ == number || config_.size.layers % number != 0 ||
            config_.batch % (devices_ / number) != 0) {
            return;
        }
        const std::int64_t each = config_.batch / (devices_ / number);
        std::int64_t microbatches = 1;
        while (2 * microbatches <= 4 * number && each % (2 * microbatches) == 0) {
            microbatches *= 2;
        }
        add(std::to_string(number) + " stages of fsdp " + std::to_string(devices_ / number) +
                ", microbatches " + std::to_string(microbatches),
            {{"pipeline", number}, {"fsdp", -1}},
            "layers are dealt to stages, which wait for each other at both ends of a step");
        choice_.options.back().set.set({{fields + "microbatches", microbatches}});
    }

    const TransformerConfig& config_;
    int devices_;
    Choice choice_{"mesh", {{}}};
};

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
        MeshOptions(config, machine.devices).all(),
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
