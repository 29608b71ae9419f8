// SPDX-License-Identifier: Apache-2.0
// Gradients of microbatches and of replicas, summed up.
#include "workloads/transformer/parameters/parameter_arrays.h"

#include <algorithm>
#include <utility>

namespace alxsim::transformer {
namespace {

using model::CollectiveKind;

} // namespace

/// Those of a replica's part of the optimizer's state.
void ParameterArrays::sum_over_replicas(const std::vector<const ParameterSpec*>& specs,
                                        std::int64_t layer)
{
    for (const ParameterSpec* const spec : specs) {
        const Pieces pieces = pieces_of(*spec);
        if (pieces.cuts_state()) {
            const Array summed = spec->of_layer ? of_layer(*spec, layer, {1, pieces.shard}).summed
                                                : parameters_.at({spec->name, -1}).summed;
            builder_.collective(spec->name + " gradient", CollectiveKind::reduce_scatter,
                                pieces.state_axes, summed, state_gradient(*spec, layer));
        }
    }
}

void ParameterArrays::accumulate(std::int64_t microbatch)
{
    builder_.begin({"gradients", "microbatches"});
    builder_.layers(
        "microbatch's gradients", "gradients.microbatches", layers_, StepBuilder::Order::up,
        [&](std::int64_t layer) { add_up("gradients", {layer_gradients(layer)}, microbatch); });
    std::vector<Gradients> others;
    for (const auto& [role, gradients] : vectors_) {
        others.push_back(gradients);
    }
    for (const ParameterSpec& spec : specs_) {
        if (!spec.of_layer && !is_vector(spec)) {
            const Parameter& one = parameters_.at({spec.name, -1});
            others.push_back({one.fresh, one.summed});
        }
    }
    add_up("other gradients", others, microbatch);
}

std::vector<Array> ParameterArrays::layer_gradients_in_turn() const
{
    return {layer_gradients(0).summed, layer_gradients(1).summed};
}

void ParameterArrays::add_up(const std::string& name, const std::vector<Gradients>& all,
                             std::int64_t microbatch)
{
    std::vector<Touch> reads;
    std::vector<Touch> writes;
    std::vector<std::int64_t> counts;
    model::Vector work;
    work.dtype = config_.dtype;
    for (const Gradients& one : all) {
        reads.emplace_back(one.fresh);
        reads.emplace_back(one.summed);
        writes.emplace_back(one.summed);
        counts.push_back(builder_.shape(one.summed).elements());
        work.elements += counts.back();
    }
    builder_.compute(name, "gradients.microbatches", work, reads, writes, [=](const auto& on) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto* const sum = on(all[i].summed);
            const auto* const fresh = on(all[i].fresh);
            for (std::int64_t k = 0; k < counts[i]; ++k) {
                sum[k] = microbatch == 0 ? fresh[k] : sum[k] + fresh[k];
            }
        }
    });
}

void ParameterArrays::sum_replicas(std::int64_t layer)
{
    builder_.begin({"gradients", "layers"});
    const Array gradients = layer_gradients(layer).summed;
    if (const auto axes = replica_axes(); !axes.empty()) {
        builder_.collective("gradients", CollectiveKind::all_reduce, axes, gradients, gradients);
    }
    sum_over_replicas(matrices_of_layers(), layer);
}

void ParameterArrays::sum_remaining()
{
    builder_.begin({"gradients", "embedding"});
    const auto sum = [&](const std::vector<std::string>& axes, Array gradient) {
        if (const auto present = layout_.among(axes); !present.empty()) {
            builder_.collective("gradients", CollectiveKind::all_reduce, present, gradient,
                                gradient);
        }
    };
    const std::vector<std::string> all{axis::data, axis::fsdp, axis::expert, axis::sequence};
    for (const auto& [role, gradients] : vectors_) {
        std::vector<std::string> axes = all;
        if (role == ParameterRole::head_norm) { // each device has other heads
            axes.push_back(axis::tensor);
        }
        sum(axes, gradients.summed);
    }
    for (const ParameterSpec& spec : specs_) {
        if (!spec.of_layer && !is_vector(spec)) {
            sum(replica_axes(), parameters_.at({spec.name, -1}).summed);
            sum_over_replicas({&spec}, -1);
        }
    }
}

} // namespace alxsim::transformer
