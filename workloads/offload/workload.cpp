// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/workload.h"

#include "base/memo.h"
#include "topologies/memory_tier.h"
#include "workloads/offload/run.h"
#include "workloads/offload/state_types.h"
#include "workloads/transformer/steps/training_step.h"
#include "workloads/transformer/text.h"
#include "workloads/transformer/workload.h"

#include <algorithm>
#include <utility>

namespace alxsim::offload {
namespace {

using Key = std::vector<std::int64_t>;

/// Equal for jobs whose ops are the same.
Key key_of(const OffloadConfig& config)
{
    Key key = transformer::timing_key(config.model);
    for (const auto value :
         {static_cast<int>(config.schedule), static_cast<int>(config.io), config.prefetch,
          config.buffers, static_cast<int>(config.clip_norm.has_value())}) {
        key.push_back(value);
    }
    return key;
}

/// Points of a sweep mostly differ in their machines alone.
std::shared_ptr<const StepOps> known_ops(const OffloadConfig& config)
{
    static Memo<Key, std::shared_ptr<const StepOps>> known(64);
    return known.get(key_of(config),
                     [&] { return std::make_shared<const StepOps>(step_ops(config)); });
}

model::Program known_program(const OffloadConfig& config, const StepOps& ops,
                             const OptimizerOrder& order)
{
    static Memo<Key, model::Program> known(64);
    Key key = key_of(config);
    for (const OptimizerTask& task : order) {
        key.push_back(static_cast<int>(task.part));
        key.push_back(task.layer);
    }
    return known.get(key, [&] { return offload_program(config.shape(), ops, order); });
}

/// Counts the model's parameters that stay in HBM.
std::int64_t parameters_in_hbm(const OffloadConfig& config, const LayerBytes& layer)
{
    return config.model.size.parameters() - config.model.size.layers * layer.parameters;
}

/// Returns what a run has in memory of its store: the state of layers in buffers and of what stays
/// in HBM; of what is changed master, moments and gradient once more, as they are computed in; and
/// through the kernel as many buffers of the store's own, each for its largest tensor.
Bytes memory_of_store(const OffloadConfig& config, const LayerBytes& layer)
{
    const std::int64_t in_hbm = parameters_in_hbm(config, layer);
    const Bytes of_each = layer.written / layer.parameters;
    const StateTypes types(config.model);
    const std::int64_t most = std::max(in_hbm, layer.parameters); // that are changed together
    const Bytes number(types.weight == model::DType::f64 ? 8 : 4);
    const Bytes bytes = layer.written * std::int64_t{config.buffers} + of_each * in_hbm +
                        number * (most * (2 + types.moments));
    if (config.io == topologies::StorageIo::user) {
        return bytes;
    }
    const Bytes largest =
        std::max(model::size_of(types.master),
                 std::max(model::size_of(types.weight),
                          model::size_of(types.moment) * std::int64_t{types.moments}));
    return bytes + largest * (most * config.buffers);
}

std::string schedule_note(Schedule schedule)
{
    switch (schedule) {
    case Schedule::edf:
        return "the order in which \"edf\" takes layers is found by a replay of some steps with "
               "the times of this machine, and is the same in every step and in every draw of a "
               "band";
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
      ops_(known_ops(config_)),
      order_(optimizer_order(config_.shape(), *ops_, machine_)),
      program_(known_program(config_, *ops_, order_))
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

std::unique_ptr<workloads::Run> OffloadWorkload::start(const workloads::RunOptions& options) const
{
    return std::make_unique<OffloadRun>(*this, options);
}

void OffloadWorkload::check_start() const
{
    transformer::training_text(config_.model);
}

/// The model with its gradients, in numbers of four bytes or more; gradients once more as doubles
/// on their way to the optimizer, of `stale` those of two steps; and what is there of the store.
Bytes OffloadWorkload::host_memory() const
{
    Bytes bytes(0);
    const auto graph = transformer::TrainingStep(without_moments(config_.model)).graph();
    for (const model::Buffer& buffer : graph->buffers) {
        bytes += buffer.bytes;
    }
    const std::int64_t late = config_.schedule == Schedule::stale ? 2 : 1;
    return bytes * std::int64_t{config_.model.dtype == model::DType::bf16 ? 2 : 1} +
           Bytes(sizeof(double)) * (config_.model.size.parameters() * late) +
           memory_of_store(config_, layer_);
}

Seconds OffloadWorkload::host_time() const
{
    return transformer::host_time_of(config_.model);
}

/// On the drives.
Bytes OffloadWorkload::state_bytes() const
{
    return layer_.written * config_.model.size.layers;
}

} // namespace alxsim::offload
