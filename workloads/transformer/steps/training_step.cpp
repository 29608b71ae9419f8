// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/training_step.h"

#include "workloads/transformer/steps/pipelined_step.h"

namespace alxsim::transformer {

TrainingStep::TrainingStep(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : parts_(config, numbers, moved),
      builder_(parts_.builder()),
      layers_(parts_),
      ends_(parts_)
{
    if (config.input_bytes_per_second > 0) {
        ends_.feed(config.devices());
    }
    builder_.layers("microbatches", "microbatches", config.microbatches, StepBuilder::Order::up,
                    [this](std::int64_t number) { microbatch(number); });
    ends_.sum_loss();
    parts_.sum_gradients();
    parts_.parameters().optimize(step_);
    timed_ = builder_.take_step("training step");
}

void TrainingStep::microbatch(std::int64_t number)
{
    const Array dx = parts_.scratch("dstream", parts_.sharding().stream());
    parts_.set_microbatch(number);
    ends_.embed();
    layers_.forward();
    ends_.head(number, number == 0);
    ends_.head_backward(dx);
    layers_.backward(dx);
    ends_.embed_backward(dx);
    if (parts_.config().microbatches > 1) {
        parts_.parameters().accumulate(number);
    }
}

std::unique_ptr<BuiltStep> build_step(const TransformerConfig& config, Numbers* numbers,
                                      MovedCounts* moved)
{
    if (config.mesh.pipeline > 1) {
        return std::make_unique<PipelinedStep>(config, numbers, moved);
    }
    return std::make_unique<TrainingStep>(config, numbers, moved);
}

} // namespace alxsim::transformer
