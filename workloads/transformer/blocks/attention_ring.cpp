// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/blocks/step_parts.h"
#include "workloads/transformer/math/ring_attention.h"

#include <algorithm>

namespace alxsim::transformer {

// Ring attention (Liu et al. 2023) over the devices that have parts of the same sequences. As its
// authors' JAX code does it: a block of keys and values goes on while it is met; in the backward
// its gradient goes with it, in the model's dtype, after each device has added to it, and home in
// the end. Maxima, sums and the context that is not yet divided are in f32.

namespace {

/// Where the tokens of a device and those of the block stand that visits it.
struct RingPositions {
    std::vector<std::int32_t> own, visiting;
};

/// At `step` a device has the block of the one that is so many places before it.
RingPositions ring_positions(const TransformerConfig& config, const Layout& layout, int device,
                             int step)
{
    const int part = layout.place_of(device).sequence_part;
    const int parts = config.mesh.sequence;
    return {token_positions(config, part), token_positions(config, (part + parts - step) % parts)};
}

} // namespace

double AttentionBlock::query_share() const
{
    return static_cast<double>(shape_.query_width()) / static_cast<double>(shape_.row());
}

/// Two of each kind take turns: one is worked on, the other comes.
Array AttentionBlock::ring_block(const std::string& name, int step)
{
    return parts_.scratch("ring." + name + (step % 2 == 0 ? ".even" : ".odd"),
                          {shape_.tokens(), 2 * shape_.key_width()});
}

Array AttentionBlock::ring_state(const std::string& name, Shape shape)
{
    return builder_.array("workspace.ring." + name, shape, parts_.sum_type());
}

/// Pairs of a query and a key that it sees, of the device that has most at this step: the others
/// wait for it.
std::int64_t AttentionBlock::ring_pairs(int step) const
{
    const int parts = parts_.config().mesh.sequence;
    const std::int64_t length = shape_.length / 2;
    std::int64_t most = 0;
    for (int part = 0; part < parts; ++part) {
        const int other = (part + parts - step) % parts;
        std::int64_t pairs = 0;
        for (const int query : {part, 2 * parts - 1 - part}) {
            for (const int key : {other, 2 * parts - 1 - other}) {
                pairs += seen_pairs(shape_.window, length, query * length, key * length);
            }
        }
        most = std::max(most, pairs);
    }
    return most;
}

void AttentionBlock::take_ring_keys(Array all)
{
    const AttentionShape shape = shape_;
    const Array block = ring_block("keys", 0);
    builder_.compute("keys and values", parts_.phase("attention"),
                     parts_.vector(builder_.shape(block).elements(), 0), {{all, 1 - query_share()}},
                     {block}, [=](const auto& on) { take_keys(shape, on(all), on(block)); });
}

void AttentionBlock::pass_on(const std::string& name, int step)
{
    builder_.permute(name, axis::sequence, ring_block(name, step), ring_block(name, step + 1));
}

void AttentionBlock::ring(std::int64_t layer)
{
    take_ring_keys(qkv(layer));
    const int parts = parts_.config().mesh.sequence;
    for (int step = 0; step < parts; ++step) {
        if (step + 1 < parts) {
            pass_on("keys", step);
        }
        meet_ring_keys(layer, step);
    }
}

/// The first block starts the state, the last one leaves context and sums.
void AttentionBlock::meet_ring_keys(std::int64_t layer, int step)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array block = ring_block("keys", step);
    const Shape rows{shape.sequences * shape.heads * shape.length, 1};
    const Array maxima = ring_state("maxima", rows);
    const Array sums = ring_state("sums", rows);
    const Array context = ring_state("context", {shape.tokens(), shape.query_width()});
    const Array result = context_of(layer);
    const Array logarithms = log_sums(layer);
    const bool first = step == 0;
    const bool last = step + 1 == parts_.config().mesh.sequence;
    std::vector<Touch> reads{{all, query_share()}, block};
    std::vector<Touch> writes{maxima, sums, context};
    if (!first) {
        reads.insert(reads.end(), writes.begin(), writes.end());
    }
    if (last) {
        writes = {result, logarithms};
    }
    builder_.compute("ring attention", parts_.phase("attention"), kernel(2, ring_pairs(step)),
                     reads, writes,
                     [=, config = parts_.config(), layout = parts_.layout()](const auto& on) {
                         using Real = spmd::NumberOf<decltype(on)>;
                         const RingState<Real> state{on(maxima), on(sums), on(context)};
                         const RingPositions at = ring_positions(config, layout, on.device(), step);
                         if (first) {
                             start_ring(shape, state);
                         }
                         meet_keys<Real>(shape, on(all), at.own.data(),
                                         {on(block), at.visiting.data(), shape.length}, state);
                         if (last) {
                             finish_ring(shape, state, on(result), on(logarithms));
                         }
                     });
}

void AttentionBlock::ring_backward(std::int64_t layer, Array dcontext, Array dqkv)
{
    const AttentionShape shape = shape_;
    const Array all = qkv(layer);
    const Array context = context_of(layer);
    const Array logarithms = log_sums(layer);
    const int parts = parts_.config().mesh.sequence;
    const bool fused = parts_.config().attention_backward == AttentionBackward::fused;
    take_ring_keys(all);
    for (int step = 0; step < parts; ++step) {
        if (step + 1 < parts) {
            pass_on("keys", step);
        }
        const Array block = ring_block("keys", step);
        const Array dblock = ring_block("key gradients", step);
        const Touch dq{dqkv, query_share()};
        std::vector<Touch> reads{{all, query_share()}, block, context, logarithms, dcontext};
        if (step > 0) {
            reads.insert(reads.end(), {dq, dblock});
        }
        builder_.compute(
            "ring attention gradient", parts_.phase("attention"),
            kernel(fused ? 5 : 7, ring_pairs(step)), reads, {dq, dblock},
            [=, config = parts_.config(), layout = parts_.layout()](const auto& on) {
                using Real = spmd::NumberOf<decltype(on)>;
                const RingPositions at = ring_positions(config, layout, on.device(), step);
                if (step == 0) {
                    std::fill_n(on(dqkv), shape.tokens() * shape.row(), Real(0));
                    std::fill_n(on(dblock), shape.tokens() * 2 * shape.key_width(), Real(0));
                }
                meet_keys_backward<Real>(
                    shape, {on(all), at.own.data(), on(context), on(logarithms), on(dcontext)},
                    {on(block), at.visiting.data(), shape.length}, on(dqkv), on(dblock));
            });
        pass_on("key gradients", step);
    }
    const Array home = ring_block("key gradients", parts);
    builder_.compute("key and value gradients", parts_.phase("attention"),
                     parts_.vector(builder_.shape(home).elements(), 0), {home},
                     {{dqkv, 1 - query_share()}},
                     [=](const auto& on) { put_keys(shape, on(home), on(dqkv)); });
}

} // namespace alxsim::transformer
