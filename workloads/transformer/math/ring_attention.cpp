// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/ring_attention.h"

#include "base/portable_math.h"
#include "workloads/transformer/math/attention_tiles.h"

#include <algorithm>
#include <limits>

namespace alxsim::transformer {
namespace {

/// One query head of one sequence, in the arrays of a device and of a block.
struct RingPlace {
    std::int64_t q;       ///< in qkv
    std::int64_t k, v;    ///< in the block
    std::int64_t context; ///< of its first token
    std::int64_t row;     ///< in maxima, sums, log_sums
};

template <class Body>
void for_each_ring_head(const AttentionShape& shape, std::int64_t keys, const Body& body)
{
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            const std::int64_t token = sequence * shape.length;
            const std::int64_t column = head * shape.width;
            const std::int64_t key = sequence * keys * 2 * shape.key_width() +
                                     head / shape.queries_per_key() * shape.width;
            body(RingPlace{token * shape.row() + column, key, key + shape.key_width(),
                           token * shape.query_width() + column,
                           (sequence * shape.heads + head) * shape.length});
        }
    }
}

template <class Real>
HeadMeeting<Real> meeting_at(const AttentionShape& shape, const RingPlace& at, const Real* qkv,
                             const std::int32_t* positions, const KeyBlock<Real>& keys)
{
    const std::int64_t stride = 2 * shape.key_width();
    return {shape.length,
            keys.length,
            positions,
            keys.positions,
            {qkv + at.q, shape.row()},
            {keys.numbers + at.k, stride},
            {keys.numbers + at.v, stride}};
}

} // namespace

template <class Real>
void take_keys(const AttentionShape& shape, const Real* qkv, Real* block)
{
    const std::int64_t width = 2 * shape.key_width();
    for (std::int64_t token = 0; token < shape.tokens(); ++token) {
        const Real* const from = qkv + token * shape.row() + shape.query_width();
        std::copy(from, from + width, block + token * width);
    }
}

template <class Real>
void put_keys(const AttentionShape& shape, const Real* block, Real* dqkv)
{
    const std::int64_t width = 2 * shape.key_width();
    for (std::int64_t token = 0; token < shape.tokens(); ++token) {
        const Real* const from = block + token * width;
        std::copy(from, from + width, dqkv + token * shape.row() + shape.query_width());
    }
}

template <class Real>
void start_ring(const AttentionShape& shape, const RingState<Real>& state)
{
    const std::int64_t rows = shape.sequences * shape.heads * shape.length;
    std::fill(state.maxima, state.maxima + rows, std::numeric_limits<Real>::lowest());
    std::fill(state.sums, state.sums + rows, Real(0));
    std::fill(state.context, state.context + shape.tokens() * shape.query_width(), Real(0));
}

template <class Real>
void meet_keys(const AttentionShape& shape, const Real* qkv, const std::int32_t* positions,
               const KeyBlock<Real>& keys, const RingState<Real>& state)
{
    for_each_ring_head(shape, keys.length, [&](const RingPlace& at) {
        meet(shape, meeting_at(shape, at, qkv, positions, keys),
             HeadState<Real>{state.maxima + at.row,
                             state.sums + at.row,
                             {state.context + at.context, shape.query_width()}});
    });
}

template <class Real>
void finish_ring(const AttentionShape& shape, const RingState<Real>& state, Real* context,
                 Real* log_sums)
{
    for_each_ring_head(shape, 0, [&](const RingPlace& at) {
        for (std::int64_t i = 0; i < shape.length; ++i) {
            const Real sum = state.sums[at.row + i];
            const std::int64_t first = at.context + i * shape.query_width();
            std::transform(state.context + first, state.context + first + shape.width,
                           context + first, [&](Real number) { return number / sum; });
            log_sums[at.row + i] = static_cast<Real>(portable::log(static_cast<double>(sum)) +
                                                     static_cast<double>(state.maxima[at.row + i]));
        }
    });
}

template <class Real>
void meet_keys_backward(const AttentionShape& shape, const RingQueries<Real>& queries,
                        const KeyBlock<Real>& keys, Real* dqkv, Real* dkeys)
{
    const std::int64_t stride = 2 * shape.key_width();
    for_each_ring_head(shape, keys.length, [&](const RingPlace& at) {
        meet_backward(shape, meeting_at(shape, at, queries.qkv, queries.positions, keys),
                      HeadGradients<Real>{{queries.context + at.context, shape.query_width()},
                                          {queries.dcontext + at.context, shape.query_width()},
                                          queries.log_sums + at.row,
                                          {dqkv + at.q, shape.row()},
                                          {dkeys + at.k, stride},
                                          {dkeys + at.v, stride}});
    });
}

// Once for each kind of number.
#define ALXSIM_RING_ATTENTION(Real)                                                                \
    template void take_keys(const AttentionShape&, const Real*, Real*);                            \
    template void put_keys(const AttentionShape&, const Real*, Real*);                             \
    template void start_ring(const AttentionShape&, const RingState<Real>&);                       \
    template void meet_keys(const AttentionShape&, const Real*, const std::int32_t*,               \
                            const KeyBlock<Real>&, const RingState<Real>&);                        \
    template void finish_ring(const AttentionShape&, const RingState<Real>&, Real*, Real*);        \
    template void meet_keys_backward(const AttentionShape&, const RingQueries<Real>&,              \
                                     const KeyBlock<Real>&, Real*, Real*);

ALXSIM_RING_ATTENTION(float)
ALXSIM_RING_ATTENTION(double)
#undef ALXSIM_RING_ATTENTION

} // namespace alxsim::transformer
