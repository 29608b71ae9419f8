// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/steps/pipelined_step.h"

#include <algorithm>
#include <utility>

namespace alxsim::transformer {
namespace {

/// The one that both ends of a pipeline have where it is tied.
const std::string table = "wte";

bool has_parameter(const StepParts& parts, const std::string& name)
{
    const std::vector<ParameterSpec>& specs = parts.parameters().specs();
    return std::any_of(specs.begin(), specs.end(),
                       [&](const ParameterSpec& spec) { return spec.name == name; });
}

/// Returns those of a part of the model's layers, the first and the last with what belongs to them.
std::vector<ParameterSpec> specs_of(const ModelSize& size, bool is_first, bool is_last)
{
    std::vector<ParameterSpec> specs;
    for (const ParameterSpec& spec : parameter_specs(size)) {
        const bool of_embedding = spec.name == table || spec.name == "wpe";
        const bool of_head = !of_embedding || (spec.name == table && size.tied);
        if (spec.of_layer || (is_first && of_embedding) || (is_last && of_head)) {
            specs.push_back(spec);
        }
    }
    return specs;
}

PipelineShape shape_of(const TransformerConfig& config)
{
    return {config.pipeline_schedule, config.mesh.pipeline, static_cast<int>(config.microbatches),
            config.chunks};
}

} // namespace

PipelinedStep::PipelinedStep(const TransformerConfig& config, Numbers* numbers, MovedCounts* moved)
    : config_(config),
      layout_(config_),
      shape_(shape_of(config)),
      tasks_(pipeline_tasks(shape_)),
      builder_(layout_, numbers, moved)
{
    builder_.begin_roles(axis::pipeline);
    for (int chunk = 0; chunk < shape_.chunks; ++chunk) {
        for (int stage = 0; stage < shape_.stages; ++stage) {
            add_chunk(stage, chunk);
        }
    }
    for (const StageTask& task : in_executable_order(shape_, tasks_)) {
        run(task);
    }
    for (int stage = 0; stage < shape_.stages; ++stage) {
        for (int chunk = 0; chunk < shape_.chunks; ++chunk) {
            finish(enter(stage, chunk), number_of(stage, chunk));
        }
    }
    timed_ = builder_.take_step("training step");
}

/// A chunk's activations have places for as many microbatches as it works on between their forward
/// and their backward.
void PipelinedStep::add_chunk(int stage, int chunk)
{
    const int number = number_of(stage, chunk);
    const bool is_first = number == 0;
    const bool is_last = number == last();
    std::vector<PipelineTask> tasks = tasks_[static_cast<std::size_t>(stage)];
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                               [&](const PipelineTask& task) { return task.chunk != chunk; }),
                tasks.end());
    TransformerConfig config = config_;
    config.size.tied = config_.size.tied && is_last; // the embedding's gradient is added to nothing
    builder_.role(stage);
    builder_.chunk(chunk);
    chunks_.push_back(std::make_unique<Chunk>(config, builder_,
                                              ModelPart{layers_of_chunk(),
                                                        specs_of(config_.size, is_first, is_last),
                                                        most_in_flight(tasks), is_first}));
    Chunk& added = *chunks_.back();
    if (is_first || is_last) {
        added.ends = std::make_unique<ModelEnds>(added.parts);
        if (config_.input_bytes_per_second > 0) {
            added.ends->feed(config_.devices() / shape_.stages);
        }
    }
}

PipelinedStep::Chunk& PipelinedStep::enter(int stage, int chunk)
{
    builder_.role(stage);
    builder_.chunk(chunk);
    return *chunks_[static_cast<std::size_t>(number_of(stage, chunk))];
}

void PipelinedStep::run(const StageTask& task)
{
    Chunk& chunk = enter(task.stage, task.task.chunk);
    chunk.parts.set_microbatch(task.task.microbatch);
    task.task.backward ? backward(chunk, task) : forward(chunk, task);
}

/// In 1f1b the last stage takes each microbatch back at once.
bool PipelinedStep::offloads_output(const StageTask& task) const
{
    return number_of(task.stage, task.task.chunk) == last() &&
           shape_.schedule != PipelineSchedule::one_forward_one_backward &&
           config_.recomputation.offloads(Activations::layer_input);
}

/// What is sent, or has come. Layers and microbatches, which are all one where there are no
/// numbers, neither wait for it nor write over it: two take turns.
Array PipelinedStep::boundary(const std::string& name, Chunk& chunk, const StageTask& task)
{
    return builder_.array("pipeline." + name, chunk.parts.sharding().stream(), config_.dtype,
                          {2, task.task.microbatch, model::Residency::hbm, true});
}

void PipelinedStep::forward(Chunk& chunk, const StageTask& task)
{
    const bool numbers = builder_.has_numbers();
    const PipelinePlace from = previous_place(shape_, task.stage, task.task);
    const PipelinePlace to = next_place(shape_, task.stage, task.task);
    builder_.begin({"forward", "layers"});
    Array received;
    if (from.exists()) {
        received = numbers ? chunk.parts.stream(0) : boundary("received", chunk, task);
        builder_.receive("activations to " + std::to_string(number_of(task.stage, task.task.chunk)),
                         from.stage, received);
    }
    Array sent;
    if (to.exists()) {
        sent = numbers ? chunk.parts.stream(chunk.parts.layers()) : boundary("sent", chunk, task);
    }
    builder_.between(numbers ? Array() : received, numbers ? Array() : sent, [&] {
        builder_.again("forward " + std::to_string(task.task.chunk), "forward.layers", [&] {
            if (!from.exists()) {
                chunk.ends->embed();
            }
            chunk.layers.forward();
            if (offloads_output(task)) {
                chunk.parts.offload_output();
            }
        });
    });
    if (to.exists()) {
        builder_.begin({"forward", "layers"});
        builder_.send("activations to " + std::to_string(number_of(to.stage, to.chunk)), to.stage,
                      sent);
    }
}

void PipelinedStep::backward(Chunk& chunk, const StageTask& task)
{
    const bool numbers = builder_.has_numbers();
    const PipelinePlace from = previous_place(shape_, task.stage, task.task);
    const PipelinePlace to = next_place(shape_, task.stage, task.task);
    const Array dx = chunk.parts.scratch("dstream", chunk.parts.sharding().stream());
    builder_.begin({"backward", "layers"});
    Array received;
    if (from.exists()) {
        received = numbers ? dx : boundary("gradients_received", chunk, task);
        builder_.receive("gradients to " + std::to_string(number_of(task.stage, task.task.chunk)),
                         from.stage, received);
    }
    Array sent;
    if (to.exists()) {
        sent = numbers ? dx : boundary("gradients_sent", chunk, task);
    }
    builder_.between(numbers ? Array() : received, numbers ? Array() : sent, [&] {
        builder_.again("backward " + std::to_string(task.task.chunk), "backward.layers",
                       [&] { backward_ops(chunk, task); });
    });
    ++chunk.backwards;
    if (to.exists()) {
        builder_.begin({"backward", "layers"});
        builder_.send("gradients to " + std::to_string(number_of(to.stage, to.chunk)), to.stage,
                      sent);
    }
}

/// The last chunk computes logits here, so that those of one microbatch stand there at once.
void PipelinedStep::backward_ops(Chunk& chunk, const StageTask& task)
{
    const Array dx = chunk.parts.scratch("dstream", chunk.parts.sharding().stream());
    if (offloads_output(task)) {
        chunk.parts.bring_back_output();
    }
    if (number_of(task.stage, task.task.chunk) == last()) {
        chunk.ends->head(task.task.microbatch, chunk.backwards == 0);
        chunk.ends->head_backward(dx);
    }
    chunk.layers.backward(dx);
    if (number_of(task.stage, task.task.chunk) == 0) {
        chunk.ends->embed_backward(dx);
    }
    if (config_.microbatches > 1) {
        chunk.parts.parameters().accumulate(chunk.backwards);
    }
}

void PipelinedStep::finish(Chunk& chunk, int number)
{
    ParameterArrays& parameters = chunk.parts.parameters();
    if (number == last()) {
        chunk.ends->sum_loss();
    }
    if (config_.size.tied && (number == 0 || number == last())) {
        builder_.begin({"gradients", "embedding"});
        const Array gradient = parameters.summed_gradient(table);
        builder_.collective_of_roles("gradient of the ends' table",
                                     model::CollectiveKind::all_reduce, {0, shape_.stages - 1},
                                     gradient, gradient);
    }
    chunk.parts.sum_gradients();
    parameters.optimize(step_);
}

void PipelinedStep::set_tokens(const StepTokens& tokens)
{
    for (const auto& chunk : chunks_) {
        chunk->parts.sharding().step_tokens() = tokens;
    }
}

double PipelinedStep::loss(const Numbers& numbers) const
{
    int device = 0;
    while (layout_.position(device, axis::pipeline) != shape_.stages - 1) {
        ++device;
    }
    return numbers.read(chunks_.back()->ends->loss(), device).front();
}

std::vector<std::pair<const PipelinedStep::Chunk*, ParameterOf>>
PipelinedStep::owners(const ParameterOf& of) const
{
    std::vector<std::pair<const Chunk*, ParameterOf>> all;
    for (int number = 0; number <= last(); ++number) {
        const Chunk& chunk = *chunks_[static_cast<std::size_t>(number)];
        const std::int64_t layer = of.layer - number * layers_of_chunk();
        const bool has_layer = layer >= 0 && layer < layers_of_chunk();
        if (of.spec->of_layer ? has_layer : has_parameter(chunk.parts, of.spec->name)) {
            all.emplace_back(&chunk, ParameterOf{of.spec, of.spec->of_layer ? layer : of.layer});
        }
    }
    return all;
}

std::vector<double> PipelinedStep::read(const Numbers& numbers, const ParameterOf& of,
                                        ParameterArrays::What what) const
{
    const auto [chunk, own] = owners(of).front();
    return chunk->parts.parameters().read(numbers, own, what);
}

void PipelinedStep::write(Numbers& numbers, const ParameterOf& of,
                          const std::vector<double>& whole) const
{
    for (const auto& [chunk, own] : owners(of)) {
        chunk->parts.parameters().write(numbers, own, whole);
    }
}

std::vector<Array> PipelinedStep::kept_arrays() const
{
    std::vector<Array> arrays;
    for (const auto& chunk : chunks_) {
        const std::vector<Array> own = chunk->parts.parameters().kept_arrays();
        arrays.insert(arrays.end(), own.begin(), own.end());
    }
    return arrays;
}

} // namespace alxsim::transformer
