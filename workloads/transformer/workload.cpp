// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/workload.h"

#include "base/memo.h"
#include "model/compiled_graph.h"
#include "model/graph/op_graph.h"
#include "model/meshes/laid_program.h"
#include "workloads/mesh_words.h"
#include "workloads/transformer/experts/expert_loads.h"
#include "workloads/transformer/run.h"
#include "workloads/transformer/steps/serving_step.h"
#include "workloads/transformer/tensor_overlap.h"
#include "workloads/transformer/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alxsim::transformer {
namespace {

/// Points of a sweep mostly differ in their machines alone.
std::shared_ptr<const spmd::TimedStep> timed_step(const TransformerConfig& config)
{
    using Key = std::vector<std::int64_t>;
    static Memo<Key, std::shared_ptr<const spmd::TimedStep>> known(64);
    const Key key = timing_key(config);
    return known.get(key, [&] {
        return std::make_shared<const spmd::TimedStep>(
            config.trains() ? build_step(config)->timed() : ServingStep(config).timed());
    });
}

TransformerConfig with_rings(TransformerConfig config, const topologies::Machine& machine)
{
    config.in_rings = products_in_rings(config, machine);
    return config;
}

TransformerConfig with_loads(TransformerConfig config, double imbalance)
{
    config.expert_loads = expert_loads(config, imbalance);
    return config;
}

} // namespace

TransformerWorkload::TransformerWorkload(TransformerConfig config,
                                         const topologies::Machine& machine,
                                         const std::string& file)
    : StepWorkload(timed_step(with_loads(with_rings(config, machine), central_expert_imbalance)),
                   config.steps, machine, file),
      config_(with_rings(std::move(config), machine)),
      file_(file)
{
}

std::string TransformerWorkload::interval() const
{
    return config_.trains() ? "training step" : std::string(name_of_value(config_.mode)) + " step";
}

std::vector<workloads::Unknown> TransformerWorkload::unknowns() const
{
    return expert_unknowns(config_);
}

/// Imbalances in steps of a fiftieth, of which draws have few.
model::Program TransformerWorkload::drawn(const workloads::DrawnValues& values) const
{
    if (values.empty() || !values.front()) {
        return program();
    }
    constexpr double parts = 50;
    const std::int64_t imbalance = std::llround(*values.front() * parts);
    return drawn_.get(imbalance, [&] {
        const auto step = timed_step(with_loads(config_, static_cast<double>(imbalance) / parts));
        return model::laid_out({{{step->graph, {}, 1}, 1}}, machine(), file_,
                               model::DeviceNumbers::of_mesh);
    });
}

std::unique_ptr<workloads::Run>
TransformerWorkload::start(const workloads::RunOptions& options) const
{
    return std::make_unique<TransformerRun>(*this, options);
}

std::vector<std::string> TransformerWorkload::notes() const
{
    std::vector<std::string> notes = expert_notes(config_);
    if (config_.mesh_is_assumed) {
        notes.push_back("no mesh is named: all " + std::to_string(config_.devices()) +
                        " devices lie along " +
                        (config_.mesh.fsdp > 1 ? "fsdp, which cuts parameters and batch"
                                               : "tensor, which cuts products"));
    }
    const std::string rings = words_of_rings(config_);
    if (!rings.empty()) {
        notes.push_back(rings);
    }
    const std::vector<std::string> others = overlap_notes();
    notes.insert(notes.end(), others.begin(), others.end());
    return notes;
}

std::vector<std::string> TransformerWorkload::overlap_notes() const
{
    if (config_.gradient_overlap == GradientOverlap::none || !config_.trains()) {
        return {};
    }
    const std::string nothing = "\"gradient_overlap\": \"backward\" hides nothing: ";
    if (config_.mesh.data == 1 && config_.mesh.sequence == 1) {
        return {nothing + "one replica has no gradients to sum up"};
    }
    if (config_.microbatches > 1) {
        return {nothing + "gradients are summed up when all microbatches have added theirs"};
    }
    const auto kind = config_.optimizer_sharding == OptimizerSharding::zero1
                          ? model::CollectiveKind::reduce_scatter
                          : model::CollectiveKind::all_reduce;
    if (!model::overlaps_compute({kind}, machine().network)) {
        return {nothing + "cores of " + machine().preset.name() +
                " wait for reductions unless the compiler lets them go on, "
                "\"overrides\": {\"collectives_overlap_compute\": true}"};
    }
    return {};
}

void TransformerWorkload::check_start() const
{
    training_text(config_);
}

workloads::Description TransformerWorkload::describe() const
{
    const ModelSize& size = config_.size;
    workloads::Description description = StepWorkload::describe();
    description.input = {{"parameters", size.parameters()}, {"tokens_per_step", config_.tokens()}};
    const workloads::MeshWords mesh = workloads::mesh_words(*graph()->mesh, machine());
    description.geometry = {{"sharding", name_of_value(config_.sharding)},
                            {"mesh", mesh.lengths},
                            {"mesh_axes", mesh.axes}};
    description.geometry_words = {{"batch", std::to_string(config_.batch)}};
    if (!config_.trains()) {
        description.geometry["mode"] = name_of_value(config_.mode);
        description.geometry_words.emplace_back("mesh", mesh.words);
        if (config_.mode == Mode::decode) {
            description.geometry_note = "A decode step is a token of each sequence.";
        }
        return description;
    }
    description.geometry["recomputation"] = config_.recomputation.words();
    if (config_.mesh.pipeline > 1) {
        const int waiting = config_.mesh.pipeline - 1;
        description.geometry["slots"] = {
            {"in_all", config_.microbatches * config_.chunks + waiting}, {"wait", waiting}};
    }
    description.geometry_words.emplace_back("sharding", name_of_value(config_.sharding));
    description.geometry_words.emplace_back("mesh", mesh.words);
    description.geometry_words.emplace_back("recomputation", config_.recomputation.words());
    return description;
}

workloads::Choices TransformerWorkload::choices() const
{
    return choices_of(config_, machine());
}

std::optional<workloads::UsefulWork> TransformerWorkload::useful_work() const
{
    return workloads::UsefulWork{model_flops(config_), "tokens",
                                 static_cast<double>(config_.tokens())};
}

double model_flops(const TransformerConfig& config)
{
    const ModelSize& size = config.size;
    const auto tokens = static_cast<double>(config.tokens());
    const auto h = static_cast<double>(size.hidden);
    const auto layers = static_cast<double>(size.layers);
    const auto d = [](std::int64_t value) { return static_cast<double>(value); };
    const double attention_products = d(size.qkv_width() + size.query_width());
    const double mlp = d(size.fc1_width() + size.inner_width()) *
                       (size.experts.exist() ? d(size.experts.per_token) : 1);
    const double router = d(size.experts.count);
    // A prefill has logits of the last tokens alone.
    const double with_logits = config.mode == Mode::prefill ? d(config.batch) / tokens : 1;
    const double products =
        layers * h * (attention_products + mlp + router) + with_logits * h * d(size.vocabulary);
    std::int64_t span = config.mode == Mode::decode ? config.cache_places() : size.sequence;
    span = size.window > 0 ? std::min(span, size.window) : span;
    const double attention = 2 * d(span) * d(size.query_width()) * layers;
    return (config.trains() ? 6 : 2) * tokens * (products + attention);
}

/// Weights, and what the optimizer keeps.
Bytes TransformerWorkload::state_bytes() const
{
    return bytes_of("weights.") + bytes_of("optimizer.");
}

/// Numbers are f64, or else f32, where bf16 ones are counted as two bytes.
Bytes TransformerWorkload::host_memory() const
{
    return StepWorkload::host_memory() * (config_.dtype == model::DType::bf16 ? 2 : 1);
}

Seconds TransformerWorkload::host_time() const
{
    return host_time_of(config_);
}

Seconds host_time_of(const TransformerConfig& config)
{
    constexpr double operations_per_second = 20e9; // of products, about
    const double again = config.recomputation.saves(Activations::qkv) ? 1 : 4.0 / 3;
    return Seconds(config.steps * again * model_flops(config) / operations_per_second);
}

} // namespace alxsim::transformer
