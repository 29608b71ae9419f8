// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/cached_attention.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::transformer {
namespace {

/// The rows of a sequence's cache that its token sees.
template <class Real>
Real* first_seen(const CacheShape& shape, Real* cache, std::int64_t sequence)
{
    return cache + (sequence * shape.places + shape.places - shape.seen()) * shape.row();
}

} // namespace

template <class Real>
void append_keys(const CacheShape& shape, const Real* qkv, Real* cache)
{
    const AttentionShape& of = shape.attention;
    for (std::int64_t sequence = 0; sequence < of.sequences; ++sequence) {
        std::copy_n(qkv + sequence * of.row() + of.query_width(), shape.row(),
                    cache + ((sequence + 1) * shape.places - 1) * shape.row());
    }
}

template <class Real>
void cached_scores(const CacheShape& shape, const Real* qkv, const Real* cache, Real* scores)
{
    const AttentionShape& of = shape.attention;
    const Real scale = 1 / std::sqrt(static_cast<Real>(of.width));
    for (std::int64_t sequence = 0; sequence < of.sequences; ++sequence) {
        const Real* const keys = first_seen(shape, cache, sequence);
        for (std::int64_t head = 0; head < of.heads; ++head) {
            const Real* const query = qkv + sequence * of.row() + head * of.width;
            const std::int64_t key = head / of.queries_per_key() * of.width;
            for (std::int64_t j = 0; j < shape.seen(); ++j) {
                Real sum = 0;
                for (std::int64_t i = 0; i < of.width; ++i) {
                    sum += query[i] * keys[j * shape.row() + key + i];
                }
                *scores++ = sum * scale;
            }
        }
    }
}

template <class Real>
void cached_softmax(const CacheShape& shape, Real* scores)
{
    const std::int64_t seen = shape.seen();
    for (std::int64_t row = 0; row < shape.attention.sequences * shape.attention.heads; ++row) {
        Real* const of_head = scores + row * seen;
        const Real largest = *std::max_element(of_head, of_head + seen);
        Real sum = 0;
        for (std::int64_t j = 0; j < seen; ++j) {
            of_head[j] = static_cast<Real>(
                portable::exp(static_cast<double>(of_head[j]) - static_cast<double>(largest)));
            sum += of_head[j];
        }
        for (std::int64_t j = 0; j < seen; ++j) {
            of_head[j] /= sum;
        }
    }
}

template <class Real>
void cached_context(const CacheShape& shape, const Real* probabilities, const Real* cache,
                    Real* context)
{
    const AttentionShape& of = shape.attention;
    std::fill_n(context, of.sequences * of.query_width(), 0);
    for (std::int64_t sequence = 0; sequence < of.sequences; ++sequence) {
        const Real* const rows = first_seen(shape, cache, sequence);
        for (std::int64_t head = 0; head < of.heads; ++head) {
            Real* const result = context + sequence * of.query_width() + head * of.width;
            const std::int64_t value = of.key_width() + head / of.queries_per_key() * of.width;
            for (std::int64_t j = 0; j < shape.seen(); ++j) {
                const Real weight = *probabilities++;
                for (std::int64_t i = 0; i < of.width; ++i) {
                    result[i] += weight * rows[j * shape.row() + value + i];
                }
            }
        }
    }
}

#define ALXSIM_INSTANTIATE(Real)                                                                   \
    template void append_keys(const CacheShape&, const Real*, Real*);                              \
    template void cached_scores(const CacheShape&, const Real*, const Real*, Real*);               \
    template void cached_softmax(const CacheShape&, Real*);                                        \
    template void cached_context(const CacheShape&, const Real*, const Real*, Real*);
ALXSIM_INSTANTIATE(float)
ALXSIM_INSTANTIATE(double)
#undef ALXSIM_INSTANTIATE

} // namespace alxsim::transformer
