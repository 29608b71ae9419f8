// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/attention_tiles.h"

#include "base/portable_math.h"
#include "spmd/linear/product.h"

#include <algorithm>
#include <cmath>

namespace alxsim::transformer {
namespace {

constexpr std::int64_t queries_of_tile = 32;
constexpr std::int64_t keys_of_tile = 128;

/// Rows `first` and on of a head.
template <class Real>
HeadRows<Real> from_row(const HeadRows<Real>& rows, std::int64_t first)
{
    return {rows.numbers + first * rows.stride, rows.stride};
}

template <class Real>
HeadMeeting<Real> tile_of(const HeadMeeting<Real>& all, std::int64_t query, std::int64_t key)
{
    return {std::min(queries_of_tile, all.queries - query),
            std::min(keys_of_tile, all.keys - key),
            all.positions + query,
            all.key_positions + key,
            from_row(all.q, query),
            from_row(all.k, key),
            from_row(all.v, key)};
}

template <class Real>
bool any_is_seen(const AttentionShape& shape, const HeadMeeting<Real>& tile)
{
    const auto [first, last] = std::minmax_element(tile.positions, tile.positions + tile.queries);
    const std::int32_t* const keys = tile.key_positions;
    return std::any_of(keys, keys + tile.keys,
                       [&, from = shape.first_seen(*first), to = *last](std::int32_t key) {
                           return key >= from && key <= to;
                       });
}

/// Calls body(tile, its first query, its first key) for tiles of which anything is seen.
template <class Real, class Body>
void for_each_tile(const AttentionShape& shape, const HeadMeeting<Real>& meeting, const Body& body)
{
    for (std::int64_t query = 0; query < meeting.queries; query += queries_of_tile) {
        for (std::int64_t key = 0; key < meeting.keys; key += keys_of_tile) {
            const HeadMeeting<Real> tile = tile_of(meeting, query, key);
            if (any_is_seen(shape, tile)) {
                body(tile, query, key);
            }
        }
    }
}

/// left right, [tile.queries x tile.keys], of which right is transposed: scores, or dcontext v.
template <class Real>
void product_of_rows(const AttentionShape& shape, const HeadMeeting<Real>& tile,
                     const HeadRows<const Real>& left, const HeadRows<const Real>& right,
                     std::vector<Real>& result)
{
    result.resize(static_cast<std::size_t>(tile.queries * tile.keys));
    spmd::set_product<Real>({{left.numbers, left.stride},
                             {right.numbers, right.stride, true},
                             {result.data(), tile.keys}},
                            {tile.queries, shape.width, tile.keys});
}

/// q k / sqrt(width), and -infinity where a query does not see a key.
template <class Real>
void seen_scores(const AttentionShape& shape, const HeadMeeting<Real>& tile,
                 std::vector<Real>& scores)
{
    product_of_rows(shape, tile, tile.q, tile.k, scores);
    const Real scale = 1 / std::sqrt(static_cast<Real>(shape.width));
    for (std::int64_t i = 0; i < tile.queries; ++i) {
        Real* const row = scores.data() + i * tile.keys;
        for (std::int64_t j = 0; j < tile.keys; ++j) {
            const bool seen = shape.sees(tile.positions[i], tile.key_positions[j]);
            row[j] = seen ? row[j] * scale : -static_cast<Real>(INFINITY);
        }
    }
}

/// row = exp(row - less) of finite ones, 0 of others; returns the sum.
template <class Real>
double exponentials_of_row(Real* row, std::int64_t count, Real less, std::vector<double>& powers)
{
    powers.resize(static_cast<std::size_t>(count));
    for (std::int64_t j = 0; j < count; ++j) {
        // What is not seen has any power: it is not read.
        const double power = static_cast<double>(row[j]) - static_cast<double>(less);
        powers[static_cast<std::size_t>(j)] = std::isinf(row[j]) ? 0 : power;
    }
    portable::exp(powers.data(), powers.data(), powers.size());
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
        row[j] =
            std::isinf(row[j]) ? Real(0) : static_cast<Real>(powers[static_cast<std::size_t>(j)]);
        sum += static_cast<double>(row[j]);
    }
    return sum;
}

template <class Real>
Real dot(const Real* a, const Real* b, std::int64_t count)
{
    Real sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// result += probabilities (or their transpose) times rows.
template <class Real>
void add_weighted(const AttentionShape& shape, const HeadMeeting<Real>& tile,
                  const std::vector<Real>& weights, bool transposed,
                  const HeadRows<const Real>& rows, const HeadRows<Real>& result)
{
    spmd::add_product<Real>({{weights.data(), tile.keys, transposed},
                             {rows.numbers, rows.stride},
                             {result.numbers, result.stride}},
                            {transposed ? tile.keys : tile.queries,
                             transposed ? tile.queries : tile.keys, shape.width});
}

/// In place: dcontext v becomes the scores' gradient, times the scores' scale.
template <class Real>
void gradients_of_scores(const AttentionShape& shape, const HeadMeeting<Real>& tile,
                         const HeadGradients<Real>& gradients, std::int64_t query,
                         const std::vector<Real>& probabilities, std::vector<Real>& dscores)
{
    const Real scale = 1 / std::sqrt(static_cast<Real>(shape.width));
    for (std::int64_t i = 0; i < tile.queries; ++i) {
        const Real mean = dot(from_row(gradients.dcontext, query + i).numbers,
                              from_row(gradients.context, query + i).numbers, shape.width);
        for (std::int64_t j = i * tile.keys; j < (i + 1) * tile.keys; ++j) {
            const auto at = static_cast<std::size_t>(j);
            dscores[at] = probabilities[at] * (dscores[at] - mean) * scale;
        }
    }
}

} // namespace

template <class Real>
void meet(const AttentionShape& shape, const HeadMeeting<Real>& meeting,
          const HeadState<Real>& state)
{
    std::vector<Real> scores;
    std::vector<double> powers;
    for_each_tile(shape, meeting, [&](const auto& tile, std::int64_t query, std::int64_t /*key*/) {
        seen_scores(shape, tile, scores);
        const HeadRows<Real> context = from_row(state.context, query);
        for (std::int64_t i = 0; i < tile.queries; ++i) {
            Real* const row = scores.data() + i * tile.keys;
            const Real old = state.maxima[query + i];
            const Real largest = std::max(old, *std::max_element(row, row + tile.keys));
            const double sum = exponentials_of_row(row, tile.keys, largest, powers);
            if (largest > old) {
                const auto factor = static_cast<Real>(
                    portable::exp(static_cast<double>(old) - static_cast<double>(largest)));
                state.maxima[query + i] = largest;
                state.sums[query + i] *= factor;
                Real* const numbers = from_row(context, i).numbers;
                std::transform(numbers, numbers + shape.width, numbers,
                               [&](Real number) { return number * factor; });
            }
            state.sums[query + i] += static_cast<Real>(sum);
        }
        add_weighted(shape, tile, scores, false, tile.v, context);
    });
}

template <class Real>
void meet_backward(const AttentionShape& shape, const HeadMeeting<Real>& meeting,
                   const HeadGradients<Real>& gradients)
{
    std::vector<Real> probabilities;
    std::vector<Real> dscores;
    std::vector<double> powers;
    for_each_tile(shape, meeting, [&](const auto& tile, std::int64_t query, std::int64_t key) {
        seen_scores(shape, tile, probabilities);
        for (std::int64_t i = 0; i < tile.queries; ++i) {
            exponentials_of_row(probabilities.data() + i * tile.keys, tile.keys,
                                gradients.log_sums[query + i], powers);
        }
        const HeadRows<const Real> dcontext = from_row(gradients.dcontext, query);
        add_weighted(shape, tile, probabilities, true, dcontext, from_row(gradients.dv, key));
        product_of_rows(shape, tile, dcontext, tile.v, dscores);
        gradients_of_scores(shape, tile, gradients, query, probabilities, dscores);
        add_weighted(shape, tile, dscores, false, tile.k, from_row(gradients.dq, query));
        add_weighted(shape, tile, dscores, true, tile.q, from_row(gradients.dk, key));
    });
}

// Once for each kind of number.
#define ALXSIM_ATTENTION_TILES(Real)                                                               \
    template void meet(const AttentionShape&, const HeadMeeting<Real>&, const HeadState<Real>&);   \
    template void meet_backward(const AttentionShape&, const HeadMeeting<Real>&,                   \
                                const HeadGradients<Real>&);

ALXSIM_ATTENTION_TILES(float)
ALXSIM_ATTENTION_TILES(double)
#undef ALXSIM_ATTENTION_TILES

} // namespace alxsim::transformer
