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
        for (int number = 2; number <= 64 && config_.size.experts.exist(); number *= 2) {
            experts(number);
        }
        if (config_.mode == Mode::decode) { // which would gather all weights for each token
            return std::move(choice_);
        }
        for (int tensor = 1; tensor <= 16; tensor *= 2) {
            cut_weights(tensor);
        }
        for (int number = 2; number <= 8; number *= 2) {
            replicas_of_cut_weights(number);
            if (config_.trains()) {
                stages(number);
                cut_sequences(number);
            }
        }
        return std::move(choice_);
    }

private:
    bool shares_products(int tensor) const
    {
        const std::int64_t keys = config_.size.keys();
        const bool shares_keys = keys % tensor == 0 || (!config_.trains() && tensor % keys == 0);
        return devices_ % tensor == 0 && config_.size.heads % tensor == 0 && shares_keys &&
               config_.size.inner_width() % tensor == 0;
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
        const bool is_natural = !config_.trains() || config_.size.positions == Positions::learned;
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
        const bool is_natural =
            config_.trains() && config_.size.positions == Positions::rotary && tensor == 1;
        add("fsdp of " + std::to_string(devices_ / tensor) +
                (tensor > 1 ? ", tensor " + std::to_string(tensor) : ""),
            mesh, "weights and optimizer are cut, and gathered layer by layer", is_natural);
    }

    /// Experts' devices have parts of the batch, too; the others of a replica cut the rest.
    void experts(int number)
    {
        const int rest = devices_ / number;
        const bool serves = config_.mode == Mode::decode;
        const char* const with = serves ? "tensor" : "fsdp";
        if (devices_ % number != 0 || config_.size.experts.count % number != 0 ||
            !deals_batch(serves ? number : devices_) || (serves && !shares_products(rest))) {
            return;
        }
        Json mesh{{"expert", number}};
        if (rest > 1) {
            mesh[with] = -1;
        }
        add("experts over " + std::to_string(number) +
                (rest > 1 ? std::string(", ") + with + " " + std::to_string(rest) : ""),
            mesh, "experts stay where they are, and tokens go to them and back");
    }

    /// Ring attention, which needs flash, in two pieces for each device.
    void cut_sequences(int number)
    {
        if (devices_ % number != 0 || config_.size.sequence % (2 * number) != 0 ||
            config_.stores_scores() || config_.size.experts.capacity > 0 ||
            !deals_batch(devices_ / number)) {
            return;
        }
        Json mesh{{"sequence", number}};
        if (devices_ > number) {
            mesh["fsdp"] = -1;
        }
        add("sequences over " + std::to_string(number) +
                (devices_ > number ? ", fsdp " + std::to_string(devices_ / number) : ""),
            mesh, "tokens of a sequence are cut, keys and values go round: less memory");
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
            choice.options.push_back(
                {"batch " + std::to_string(batch),
                 {{fields + "batch", batch}},
                 false,
                 config.trains() ? "this changes the training: the same tokens take another "
                                   "number of steps"
                                 : "another number of sequences at once: the more, the longer "
                                   "each waits, and the more tokens a second there are of all"});
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

/// Policies, and activations by name: what fits at the least time is mostly among these (MaxText's
/// recipes offload layer inputs, out_proj and qkv, or save context and qkv).
Choice recomputation_choice()
{
    Choice choice =
        named_choice("recomputation", names_of_values<RecomputationPolicy>(),
                     {"", "less memory: attention's scores and probabilities are computed twice",
                      "less memory: all but products with weights is computed twice",
                      "least memory: a layer's forward is computed twice"});
    for (workloads::Option& option : choice.options) {
        option.saves_memory =
            option.words == "recomputation dots" || option.words == "recomputation full";
    }
    const auto named = [&](const std::string& words, const Json& value, const std::string& effect,
                           bool saves_memory = false) {
        choice.options.push_back({"recomputation " + words,
                                  {{fields + "recomputation", value}},
                                  false,
                                  effect,
                                  saves_memory});
    };
    named("of all but qkv and context", {{"save", {"qkv", "context"}}},
          "less memory: what attention reads and gives is kept, the rest computed twice", true);
    named("in full, layer inputs in host memory", {{"offload", {"layer_input"}}},
          "least memory: a layer's forward is computed twice, and its input goes to the host",
          true);
    named("with layer inputs, out_proj and qkv in host memory",
          {{"offload", {"layer_input", "out_proj", "qkv"}}},
          "little memory: what would be computed twice goes to the host and comes back");
    return choice;
}

/// Fewer sequences at once, their gradients added up: activations of one microbatch alone stand in
/// HBM. A pipeline has its microbatches with its mesh.
std::vector<Choice> fewer_at_once(const TransformerConfig& config)
{
    if (config.mesh.pipeline > 1) {
        return {};
    }
    Choice choice{"microbatches", {{}}};
    for (const std::int64_t count : {2, 4, 8}) {
        if (count > config.microbatches &&
            config.batch % (config.mesh.batch_parts() * count) == 0) {
            choice.options.push_back({"microbatches " + std::to_string(count),
                                      {{fields + "microbatches", count}},
                                      false,
                                      "less memory: activations of one microbatch at a time"});
        }
    }
    return choice.options.size() > 1 ? std::vector<Choice>{std::move(choice)}
                                     : std::vector<Choice>{};
}

/// Mesh and batch alone: no backward, no replicas to sum up, one form of sharding.
workloads::Choices serving_choices(const TransformerConfig& config,
                                   const topologies::Machine& machine)
{
    workloads::Choices choices;
    choices.list = {MeshOptions(config, machine.devices).all(), batch_choice(config)};
    choices.blocks = {{"mesh", "batch"}};
    choices.ladders = {"batch"};
    choices.by_interest = {"mesh", "batch"};
    return choices;
}

} // namespace

workloads::Choices choices_of(const TransformerConfig& config, const topologies::Machine& machine)
{
    if (!config.trains()) {
        return serving_choices(config, machine);
    }
    workloads::Choices choices;
    choices.list = {
        named_choice("sharding", names_of_values<ShardingKind>(),
                     {"", "normalizations and residuals are split by tokens: less memory",
                      "blocks of batch and hidden dimension, one panel at a time (SUMMA)",
                      "the same, all panels at once"}),
        MeshOptions(config, machine.devices).all(),
        batch_choice(config),
        recomputation_choice(),
        named_choice("gradient_overlap", names_of_values<GradientOverlap>(),
                     {"", "replicas sum up a layer's gradients during the next layer's backward"}),
    };
    choices.if_too_large = fewer_at_once(config);
    choices.blocks = {{"sharding", "mesh"}, {"batch", "recomputation", "gradient_overlap"}};
    choices.family = {"sharding"};
    choices.ladders = {"batch"};
    choices.by_interest = {"sharding", "mesh", "batch", "recomputation", "gradient_overlap"};
    return choices;
}

std::vector<std::string> choice_names()
{
    return {"sharding", "mesh", "batch", "recomputation", "gradient_overlap", "microbatches"};
}

} // namespace alxsim::transformer
