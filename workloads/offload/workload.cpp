// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/workload.h"

#include "topologies/memory_tier.h"
#include "workloads/transformer/workload.h"

#include <utility>

namespace alxsim::offload {
namespace {

/// Of the model's parameters those that stay in HBM.
std::int64_t parameters_in_hbm(const OffloadConfig& config, const LayerBytes& layer)
{
    return config.model.size.parameters() - config.model.size.layers * layer.parameters;
}

std::string schedule_note(Schedule schedule)
{
    switch (schedule) {
    case Schedule::edf:
        return "the order in which \"edf\" takes layers is found by a replay of some steps with "
               "the "
               "times of this machine, and is the same in every step";
    case Schedule::stale:
        return "updates come one step late: a step's loss is worse than with the other schedules "
               "after as many steps";
    default:
        return "";
    }
}

} // namespace

OffloadWorkload::OffloadWorkload(OffloadConfig config, const topologies::Machine& machine)
    : config_(std::move(config)),
      machine_(machine),
      layer_(layer_bytes(config_)),
      program_(offload_program(config_.shape(), step_ops(config_), machine_))
{
}

workloads::Description OffloadWorkload::describe() const
{
    const transformer::TransformerConfig& model = config_.model;
    const std::string schedule = name_of_value(config_.schedule);
    workloads::Description description;
    description.input = {{"parameters", model.size.parameters()},
                         {"tokens_per_step", model.tokens()}};
    description.geometry = {{"schedule", schedule},
                            {"io", io_name(config_.io)},
                            {"prefetch", config_.prefetch},
                            {"buffers", config_.buffers},
                            {"recomputation", model.recomputation.words()}};
    description.geometry_words = {{"batch", std::to_string(model.batch)},
                                  {"schedule", schedule},
                                  {"io", io_name(config_.io)},
                                  {"recomputation", model.recomputation.words()}};
    return description;
}

std::vector<std::string> OffloadWorkload::notes() const
{
    std::vector<std::string> notes{
        "no host type of a TPU lists local drives: what its storage holds and moves is a what-if",
        "of each layer weights, and what the optimizer keeps of them, stand on the drives, "
        "gradients in host memory; " +
            std::to_string(parameters_in_hbm(config_, layer_)) +
            " parameters of embeddings, the last norm and the head stay in HBM with their state, "
            "and the device changes them",
        "a fetch of weights waits for their update, not until they are written, and takes what a "
        "read of the drives takes"};
    const int sharing = topologies::devices_sharing(machine_, topologies::SharedBy::host);
    if (sharing > 1) {
        notes.push_back("the device has 1/" + std::to_string(sharing) +
                        " of its host's memory and drives, as if the host's other devices did the "
                        "same; \"overrides\": {\"chips_per_host\": 1} gives it all");
    }
    const std::string of_schedule = schedule_note(config_.schedule);
    if (!of_schedule.empty()) {
        notes.push_back(of_schedule);
    }
    return notes;
}

std::optional<workloads::UsefulWork> OffloadWorkload::useful_work() const
{
    return workloads::UsefulWork{transformer::model_flops(config_.model), "tokens",
                                 static_cast<double>(config_.model.tokens())};
}

workloads::Choices OffloadWorkload::choices() const
{
    return choices_of(config_);
}

/// On the drives.
Bytes OffloadWorkload::state_bytes() const
{
    return layer_.written * config_.model.size.layers;
}

} // namespace alxsim::offload
