// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/flash_attention.h"

#include "workloads/transformer/math/ring_attention.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace alxsim::transformer {
namespace {

std::vector<std::int32_t> ascending_positions(const AttentionShape& shape)
{
    std::vector<std::int32_t> positions(static_cast<std::size_t>(shape.length));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
}

template <class Real>
std::vector<Real> keys_of(const AttentionShape& shape, const Real* qkv)
{
    std::vector<Real> keys(static_cast<std::size_t>(shape.tokens() * 2 * shape.key_width()));
    take_keys(shape, qkv, keys.data());
    return keys;
}

} // namespace

// A ring of one device.

template <class Real>
void flash_attention(const AttentionShape& shape, const Real* qkv, Real* context, Real* log_sums)
{
    const std::vector<std::int32_t> positions = ascending_positions(shape);
    const std::vector<Real> keys = keys_of(shape, qkv);
    std::vector<Real> maxima(
        static_cast<std::size_t>(shape.sequences * shape.heads * shape.length));
    const RingState<Real> state{maxima.data(), log_sums, context};
    start_ring(shape, state);
    meet_keys(shape, qkv, positions.data(), {keys.data(), positions.data(), shape.length}, state);
    finish_ring(shape, state, context, log_sums);
}

template <class Real>
void flash_attention_backward(const AttentionShape& shape, const Real* qkv, const Real* context,
                              const Real* log_sums, const Real* dcontext, Real* dqkv)
{
    const std::vector<std::int32_t> positions = ascending_positions(shape);
    const std::vector<Real> keys = keys_of(shape, qkv);
    std::vector<Real> dkeys(keys.size());
    std::fill(dqkv, dqkv + shape.tokens() * shape.row(), Real(0));
    meet_keys_backward<Real>(shape, {qkv, positions.data(), context, log_sums, dcontext},
                             {keys.data(), positions.data(), shape.length}, dqkv, dkeys.data());
    put_keys(shape, dkeys.data(), dqkv);
}

// Once for each kind of number.
#define ALXSIM_FLASH_ATTENTION(Real)                                                               \
    template void flash_attention(const AttentionShape&, const Real*, Real*, Real*);               \
    template void flash_attention_backward(const AttentionShape&, const Real*, const Real*,        \
                                           const Real*, const Real*, Real*);

ALXSIM_FLASH_ATTENTION(float)
ALXSIM_FLASH_ATTENTION(double)
#undef ALXSIM_FLASH_ATTENTION

} // namespace alxsim::transformer
