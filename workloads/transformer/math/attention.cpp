// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/attention.h"

#include "base/portable_math.h"
#include "spmd/linear/product.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::transformer {
namespace {

constexpr double two_pi = 0x1.921fb54442d18p+2;

/// Where one query head of one sequence has its numbers.
struct HeadPlace {
    std::int64_t q, k, v; ///< in qkv, of the sequence's first token
    std::int64_t context; ///< likewise
    std::int64_t matrix;  ///< of scores
    bool first_of_keys;   ///< the first query head of its kv head
};

template <class Body>
void for_each_head(const AttentionShape& shape, const Body& body)
{
    const std::int64_t group = shape.queries_per_key();
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence) {
        const std::int64_t token = sequence * shape.length;
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            const std::int64_t key =
                token * shape.row() + shape.query_width() + head / group * shape.width;
            body(HeadPlace{token * shape.row() + head * shape.width, key, key + shape.key_width(),
                           token * shape.query_width() + head * shape.width,
                           (sequence * shape.heads + head) * shape.length * shape.length,
                           head % group == 0});
        }
    }
}

/// Adds to a kv head: the first of its query heads sets, the others add.
template <class Real>
void set_or_add(bool set, const spmd::Factors<Real>& factors, const spmd::ProductShape& shape)
{
    if (set) {
        spmd::set_product(factors, shape);
    } else {
        spmd::add_product(factors, shape);
    }
}

/// Calls body(first number of the row, first that is seen, one past the last).
template <class Body>
void for_each_row(const AttentionShape& shape, const Body& body)
{
    const std::int64_t rows = shape.sequences * shape.heads * shape.length;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t position = row % shape.length;
        body(row * shape.length, shape.first_seen(position), position + 1);
    }
}

/// All but [begin, end) of a row.
template <class Real>
void clear_unseen(const AttentionShape& shape, std::int64_t begin, std::int64_t end, Real* row)
{
    std::fill(row, row + begin, Real(0));
    std::fill(row + end, row + shape.length, Real(0));
}

struct Turn {
    double cosine, sine;
};

/// [length][width / 2]
std::vector<Turn> turns_of(const AttentionShape& shape, const std::int32_t* positions, double theta,
                           int direction)
{
    const std::int64_t half = shape.width / 2;
    std::vector<double> turns_per_position;
    for (std::int64_t i = 0; i < half; ++i) {
        const double exponent = -2 * static_cast<double>(i) / static_cast<double>(shape.width);
        turns_per_position.push_back(portable::pow(theta, exponent) / two_pi);
    }
    std::vector<Turn> turns;
    for (std::int64_t token = 0; token < shape.length; ++token) {
        for (const double each : turns_per_position) {
            const double all = positions[token] * each;
            const double part = all - std::floor(all);
            const double behind = part >= 0.25 ? part - 0.25 : part + 0.75; // cos of it is the sine
            turns.push_back(
                {portable::cos_of_turns(part), direction * portable::cos_of_turns(behind)});
        }
    }
    return turns;
}

/// Counts, of `length` times `length` pairs, those whose difference of places in both lists is
/// `last` or less. Of each difference e there are length - |e|.
std::int64_t pairs_up_to(std::int64_t length, std::int64_t last)
{
    if (last <= -length) {
        return 0;
    }
    if (last <= 0) {
        return (last + length) * (last + length + 1) / 2;
    }
    const std::int64_t beyond = std::max<std::int64_t>(length - 1 - last, 0);
    return length * length - beyond * (beyond + 1) / 2;
}

} // namespace

std::int64_t seen_pairs(std::int64_t window, std::int64_t length, std::int64_t query,
                        std::int64_t key)
{
    // Positions differ by 0 to window - 1; places in the lists by that less `apart`.
    const std::int64_t apart = query - key;
    const std::int64_t most = window > 0 ? window - 1 - apart : length;
    return std::max<std::int64_t>(pairs_up_to(length, most) - pairs_up_to(length, -apart - 1), 0);
}

template <class Real>
void rotary(const AttentionShape& shape, const std::int32_t* positions, double theta, int direction,
            Real* qkv)
{
    const std::int64_t half = shape.width / 2;
    const std::vector<Turn> turns = turns_of(shape, positions, theta, direction);
    for (std::int64_t token = 0; token < shape.tokens(); ++token) {
        const Turn* const of_token = turns.data() + token % shape.length * half;
        Real* head = qkv + token * shape.row();
        for (std::int64_t i = 0; i < shape.heads + shape.kv_heads; ++i, head += shape.width) {
            for (std::int64_t j = 0; j < half; ++j) {
                const auto low = static_cast<double>(head[j]);
                const auto high = static_cast<double>(head[j + half]);
                const auto [cosine, sine] = of_token[j];
                head[j] = static_cast<Real>(low * cosine - high * sine);
                head[j + half] = static_cast<Real>(low * sine + high * cosine);
            }
        }
    }
}

template <class Real>
void attention_scores(const AttentionShape& shape, const Real* qkv, Real* scores)
{
    const Real scale = 1 / std::sqrt(static_cast<Real>(shape.width));
    for_each_head(shape, [&](const HeadPlace& at) {
        Real* const matrix = scores + at.matrix;
        spmd::set_product<Real>(
            {{qkv + at.q, shape.row()}, {qkv + at.k, shape.row(), true}, {matrix, shape.length}},
            {shape.length, shape.width, shape.length});
        for (std::int64_t i = 0; i < shape.length * shape.length; ++i) {
            matrix[i] *= scale;
        }
    });
}

template <class Real>
void causal_softmax(const AttentionShape& shape, const Real* scores, Real* probabilities)
{
    std::vector<double> powers;
    for_each_row(shape, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        const Real largest = *std::max_element(scores + row + begin, scores + row + end);
        powers.clear();
        for (std::int64_t i = begin; i < end; ++i) {
            powers.push_back(static_cast<double>(scores[row + i] - largest));
        }
        portable::exp(powers.data(), powers.data(), powers.size());
        double sum = 0;
        for (const double power : powers) {
            sum += power;
        }
        Real* const to = probabilities + row;
        for (std::int64_t i = begin; i < end; ++i) {
            to[i] = static_cast<Real>(powers[static_cast<std::size_t>(i - begin)] / sum);
        }
        clear_unseen(shape, begin, end, to);
    });
}

template <class Real>
void attention_context(const AttentionShape& shape, const Real* probabilities, const Real* qkv,
                       Real* context)
{
    for_each_head(shape, [&](const HeadPlace& at) {
        spmd::set_product<Real>({{probabilities + at.matrix, shape.length},
                                 {qkv + at.v, shape.row()},
                                 {context + at.context, shape.query_width()}},
                                {shape.length, shape.length, shape.width});
    });
}

template <class Real>
void attention_context_backward(const AttentionShape& shape, const Real* probabilities,
                                const Real* qkv, const Real* dcontext, Real* dprobabilities,
                                Real* dqkv)
{
    for_each_head(shape, [&](const HeadPlace& at) {
        const Real* const gradient = dcontext + at.context;
        spmd::set_product<Real>({{gradient, shape.query_width()},
                                 {qkv + at.v, shape.row(), true},
                                 {dprobabilities + at.matrix, shape.length}},
                                {shape.length, shape.width, shape.length});
        set_or_add<Real>(at.first_of_keys,
                         {{probabilities + at.matrix, shape.length, true},
                          {gradient, shape.query_width()},
                          {dqkv + at.v, shape.row()}},
                         {shape.length, shape.length, shape.width});
    });
}

template <class Real>
void causal_softmax_backward(const AttentionShape& shape, const Real* probabilities,
                             Real* dprobabilities)
{
    for_each_row(shape, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        const Real* const p = probabilities + row;
        Real* const gradient = dprobabilities + row;
        Real sum = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            sum += p[i] * gradient[i];
        }
        for (std::int64_t i = begin; i < end; ++i) {
            gradient[i] = p[i] * (gradient[i] - sum);
        }
        clear_unseen(shape, begin, end, gradient);
    });
}

template <class Real>
void attention_scores_backward(const AttentionShape& shape, const Real* dscores, const Real* qkv,
                               Real* dqkv)
{
    const Real scale = 1 / std::sqrt(static_cast<Real>(shape.width));
    std::vector<Real> scaled(static_cast<std::size_t>(shape.length * shape.length));
    for_each_head(shape, [&](const HeadPlace& at) {
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            scaled[i] = dscores[at.matrix + static_cast<std::int64_t>(i)] * scale;
        }
        spmd::set_product<Real>(
            {{scaled.data(), shape.length}, {qkv + at.k, shape.row()}, {dqkv + at.q, shape.row()}},
            {shape.length, shape.length, shape.width});
        set_or_add<Real>(at.first_of_keys,
                         {{scaled.data(), shape.length, true},
                          {qkv + at.q, shape.row()},
                          {dqkv + at.k, shape.row()}},
                         {shape.length, shape.length, shape.width});
    });
}

// Once for each kind of number.
#define ALXSIM_ATTENTION(Real)                                                                     \
    template void rotary(const AttentionShape&, const std::int32_t*, double, int, Real*);          \
    template void attention_scores(const AttentionShape&, const Real*, Real*);                     \
    template void causal_softmax(const AttentionShape&, const Real*, Real*);                       \
    template void attention_context(const AttentionShape&, const Real*, const Real*, Real*);       \
    template void attention_context_backward(const AttentionShape&, const Real*, const Real*,      \
                                             const Real*, Real*, Real*);                           \
    template void causal_softmax_backward(const AttentionShape&, const Real*, Real*);              \
    template void attention_scores_backward(const AttentionShape&, const Real*, const Real*, Real*);

ALXSIM_ATTENTION(float)
ALXSIM_ATTENTION(double)
#undef ALXSIM_ATTENTION

} // namespace alxsim::transformer
