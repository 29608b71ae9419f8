// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/steps/built_step.h"
#include "workloads/transformer/steps/layer_stack.h"
#include "workloads/transformer/steps/pipeline_schedule.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::transformer {

/// A training step of a pipeline: stages are roles, each with its chunks of the layers; the first
/// chunk has the embedding, the last one the last norm, the head and the loss. Activations go from
/// chunk to chunk, their gradients back, as messages between devices that differ in their stage
/// alone. Where the head's table is that of the embedding, both ends have it, sum up its gradient,
/// and change it alike.
class PipelinedStep : public BuiltStep {
public:
    explicit PipelinedStep(const TransformerConfig& config, Numbers* numbers = nullptr,
                           MovedCounts* moved = nullptr);

    const spmd::TimedStep& timed() const override { return timed_; }
    const Layout& layout() const override { return layout_; }
    void set_tokens(const StepTokens& tokens) override;
    void set_step(int step) override { *step_ = step; }
    double loss(const Numbers& numbers) const override;
    std::vector<double> read(const Numbers& numbers, const ParameterOf& of,
                             ParameterArrays::What what) const override;
    void write(Numbers& numbers, const ParameterOf& of,
               const std::vector<double>& whole) const override;
    std::vector<Array> kept_arrays() const override;

private:
    /// A part of the model on a stage.
    struct Chunk {
        Chunk(const TransformerConfig& config, StepBuilder& builder, const ModelPart& part)
            : parts(config, builder, part),
              layers(parts)
        {
        }
        StepParts parts;
        LayerStack layers;
        std::unique_ptr<ModelEnds> ends; ///< of the first and the last
        std::int64_t backwards = 0;      ///< of so many microbatches, so far
    };

    void add_chunk(int stage, int chunk);
    Chunk& enter(int stage, int chunk);
    void run(const StageTask& task);
    void forward(Chunk& chunk, const StageTask& task);
    void backward(Chunk& chunk, const StageTask& task);
    void backward_ops(Chunk& chunk, const StageTask& task);
    /// Whether what the head will read goes to host memory meanwhile, as inputs of layers do.
    bool offloads_output(const StageTask& task) const;
    Array boundary(const std::string& name, Chunk& chunk, const StageTask& task);
    /// Sums of gradients, and the optimizer.
    void finish(Chunk& chunk, int number);

    int number_of(int stage, int chunk) const { return chunk * shape_.stages + stage; }
    int last() const { return shape_.stages * shape_.chunks - 1; }
    std::int64_t layers_of_chunk() const { return config_.size.layers / (last() + 1); }
    /// Those that have a parameter, and which of their layers it is of.
    std::vector<std::pair<const Chunk*, ParameterOf>> owners(const ParameterOf& of) const;

    TransformerConfig config_;
    Layout layout_;
    PipelineShape shape_;
    PipelineTasks tasks_;
    StepBuilder builder_;
    std::vector<std::unique_ptr<Chunk>> chunks_; ///< [stage][chunk] in one row: number_of()
    std::shared_ptr<int> step_ = std::make_shared<int>(1);
    spmd::TimedStep timed_;
};

} // namespace alxsim::transformer
