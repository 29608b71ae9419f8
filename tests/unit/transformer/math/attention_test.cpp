// SPDX-License-Identifier: Apache-2.0
// Attention in its forms against each other, and against differences of what it computes.
#include "gradient_check.h"
#include "workloads/transformer/math/flash_attention.h"
#include "workloads/transformer/math/ring_attention.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace alxsim::transformer {

std::ostream& operator<<(std::ostream& out, const AttentionShape& shape)
{
    return out << shape.heads << " heads of " << shape.kv_heads << ", width " << shape.width
               << ", length " << shape.length << ", window " << shape.window;
}

namespace {

std::size_t size_of(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}

std::int64_t scores_of(const AttentionShape& shape)
{
    return shape.sequences * shape.heads * shape.length * shape.length;
}

std::int64_t rows_of(const AttentionShape& shape)
{
    return shape.sequences * shape.heads * shape.length;
}

struct Attention {
    Doubles context, dqkv;
};

Doubles stored_probabilities(const AttentionShape& shape, const Doubles& qkv)
{
    Doubles scores(size_of(scores_of(shape)));
    attention_scores(shape, qkv.data(), scores.data());
    Doubles probabilities(scores.size());
    causal_softmax(shape, scores.data(), probabilities.data());
    return probabilities;
}

Attention stored(const AttentionShape& shape, const Doubles& qkv, const Doubles& dcontext)
{
    const Doubles probabilities = stored_probabilities(shape, qkv);
    Attention result{Doubles(dcontext.size()), Doubles(qkv.size())};
    attention_context(shape, probabilities.data(), qkv.data(), result.context.data());
    Doubles gradient(probabilities.size());
    attention_context_backward(shape, probabilities.data(), qkv.data(), dcontext.data(),
                               gradient.data(), result.dqkv.data());
    causal_softmax_backward(shape, probabilities.data(), gradient.data());
    attention_scores_backward(shape, gradient.data(), qkv.data(), result.dqkv.data());
    return result;
}

Attention flash(const AttentionShape& shape, const Doubles& qkv, const Doubles& dcontext)
{
    Attention result{Doubles(dcontext.size()), Doubles(qkv.size())};
    Doubles log_sums(size_of(rows_of(shape)));
    flash_attention(shape, qkv.data(), result.context.data(), log_sums.data());
    flash_attention_backward(shape, qkv.data(), result.context.data(), log_sums.data(),
                             dcontext.data(), result.dqkv.data());
    return result;
}

/// Rows of tokens [sequences length x columns] at `positions` of each sequence.
Doubles rows_at(const AttentionShape& shape, const Doubles& all, std::int64_t columns,
                const std::vector<std::int32_t>& positions)
{
    Doubles rows;
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence) {
        for (const std::int32_t position : positions) {
            const auto from = all.begin() + (sequence * shape.length + position) * columns;
            rows.insert(rows.end(), from, from + columns);
        }
    }
    return rows;
}

void put_rows(const AttentionShape& shape, const Doubles& rows, std::int64_t columns,
              const std::vector<std::int32_t>& positions, Doubles& all)
{
    auto from = rows.begin();
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence) {
        for (const std::int32_t position : positions) {
            std::copy(from, from + columns,
                      all.begin() + (sequence * shape.length + position) * columns);
            from += columns;
        }
    }
}

/// A device of a ring: the tokens at its positions, and the block that it made of them.
struct RingDevice {
    AttentionShape shape;
    std::vector<std::int32_t> positions;
    Doubles qkv, dcontext, keys;
    Doubles context = {}, log_sums = {}, dqkv = {}, dkeys = {};

    KeyBlock<double> block() const { return {keys.data(), positions.data(), shape.length}; }
};

std::vector<RingDevice> ring_of(const AttentionShape& shape, const Doubles& qkv,
                                const Doubles& dcontext,
                                const std::vector<std::vector<std::int32_t>>& parts)
{
    std::vector<RingDevice> ring;
    for (const std::vector<std::int32_t>& positions : parts) {
        AttentionShape part = shape;
        part.length = static_cast<std::int64_t>(positions.size());
        RingDevice device{part, positions, rows_at(shape, qkv, shape.row(), positions),
                          rows_at(shape, dcontext, shape.query_width(), positions),
                          Doubles(size_of(part.tokens() * 2 * part.key_width()))};
        take_keys(part, device.qkv.data(), device.keys.data());
        device.dkeys.resize(device.keys.size());
        device.dqkv.resize(device.qkv.size());
        ring.push_back(std::move(device));
    }
    return ring;
}

/// Each device meets the blocks of all, its own first, then those behind it in the ring.
Attention in_a_ring(const AttentionShape& shape, const Doubles& qkv, const Doubles& dcontext,
                    const std::vector<std::vector<std::int32_t>>& parts)
{
    Attention result{Doubles(dcontext.size()), Doubles(qkv.size())};
    std::vector<RingDevice> ring = ring_of(shape, qkv, dcontext, parts);
    for (std::size_t d = 0; d < ring.size(); ++d) {
        RingDevice& device = ring[d];
        device.context.resize(device.dcontext.size());
        Doubles maxima(size_of(rows_of(device.shape)));
        device.log_sums = maxima;
        const RingState<double> state{maxima.data(), device.log_sums.data(), device.context.data()};
        start_ring(device.shape, state);
        for (std::size_t step = 0; step < ring.size(); ++step) {
            meet_keys(device.shape, device.qkv.data(), device.positions.data(),
                      ring[(d + ring.size() - step) % ring.size()].block(), state);
        }
        finish_ring(device.shape, state, device.context.data(), device.log_sums.data());
        put_rows(shape, device.context, shape.query_width(), device.positions, result.context);
    }
    for (std::size_t step = 0; step < ring.size(); ++step) {
        for (std::size_t d = 0; d < ring.size(); ++d) {
            RingDevice& device = ring[d];
            RingDevice& other = ring[(d + ring.size() - step) % ring.size()];
            meet_keys_backward<double>(device.shape,
                                       {device.qkv.data(), device.positions.data(),
                                        device.context.data(), device.log_sums.data(),
                                        device.dcontext.data()},
                                       other.block(), device.dqkv.data(), other.dkeys.data());
        }
    }
    for (RingDevice& device : ring) {
        put_keys(device.shape, device.dkeys.data(), device.dqkv.data());
        put_rows(shape, device.dqkv, shape.row(), device.positions, result.dqkv);
    }
    return result;
}

/// Positions of `parts` devices, side by side, or each with one piece from the front and one from
/// the back.
std::vector<std::vector<std::int32_t>> dealt(std::int64_t length, int parts, bool zigzag)
{
    std::vector<std::vector<std::int32_t>> all(size_of(parts));
    const std::int64_t pieces = zigzag ? 2 * parts : parts;
    for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t piece = i / (length / pieces);
        all[size_of(piece < parts ? piece : pieces - 1 - piece)].push_back(
            static_cast<std::int32_t>(i));
    }
    return all;
}

class AttentionForms : public testing::TestWithParam<AttentionShape> {
protected:
    AttentionShape shape_ = GetParam();
    Doubles qkv_ = drawn(1, shape_.tokens() * shape_.row());
    Doubles dcontext_ = drawn(2, shape_.tokens() * shape_.query_width());
};

TEST_P(AttentionForms, OfScoresStoredIsTheFormula)
{
    const Attention found = stored(shape_, qkv_, dcontext_);
    Doubles expected(found.context.size());
    for (std::int64_t token = 0; token < shape_.tokens(); ++token) {
        for (std::int64_t head = 0; head < shape_.heads; ++head) {
            const double* const q = qkv_.data() + token * shape_.row() + head * shape_.width;
            double* const to = expected.data() + token * shape_.query_width() + head * shape_.width;
            double sum = 0;
            for (std::int64_t i = 0; i <= token % shape_.length; ++i) {
                if (shape_.window > 0 && i >= shape_.window) {
                    break;
                }
                const double* const k = qkv_.data() + (token - i) * shape_.row() +
                                        shape_.heads * shape_.width +
                                        head / (shape_.heads / shape_.kv_heads) * shape_.width;
                const double* const v = k + shape_.kv_heads * shape_.width;
                const double score = std::inner_product(q, q + shape_.width, k, 0.0) /
                                     std::sqrt(static_cast<double>(shape_.width));
                sum += std::exp(score);
                for (std::int64_t j = 0; j < shape_.width; ++j) {
                    to[j] += std::exp(score) * v[j];
                }
            }
            std::for_each(to, to + shape_.width, [&](double& number) { number /= sum; });
        }
    }
    expect_near(found.context, expected, 1e-14, "context");
}

class SmallAttention : public AttentionForms {};

TEST_P(SmallAttention, HasTheGradientOfItsDifferences)
{
    const Attention found = stored(shape_, qkv_, dcontext_);
    const auto loss = [&](const Doubles& qkv) {
        return dot_of(stored(shape_, qkv, dcontext_).context, dcontext_);
    };
    expect_gradient(loss, qkv_, found.dqkv, "dqkv");
}

TEST_P(AttentionForms, FlashIsWithin1em14OfScoresStored)
{
    const Attention expected = stored(shape_, qkv_, dcontext_);
    const Attention found = flash(shape_, qkv_, dcontext_);
    expect_near(found.context, expected.context, 1e-14, "context");
    expect_near(found.dqkv, expected.dqkv, 1e-14, "dqkv");
}

TEST_P(AttentionForms, FlashKeepsTheLogarithmOfTheSumOfExponentials)
{
    Doubles context(dcontext_.size());
    Doubles log_sums(size_of(rows_of(shape_)));
    flash_attention(shape_, qkv_.data(), context.data(), log_sums.data());
    Doubles scores(size_of(scores_of(shape_)));
    attention_scores(shape_, qkv_.data(), scores.data());
    const Doubles probabilities = stored_probabilities(shape_, qkv_);
    for (std::size_t row = 0; row < log_sums.size(); ++row) {
        const std::size_t self = row * size_of(shape_.length) + row % size_of(shape_.length);
        EXPECT_NEAR(scores[self] - log_sums[row], std::log(probabilities[self]), 1e-13);
    }
}

TEST_P(AttentionForms, RingIsWithin1em14OfFlashHoweverTokensAreDealt)
{
    const Attention expected = flash(shape_, qkv_, dcontext_);
    for (const bool zigzag : {false, true}) {
        for (const int devices : {1, 2, 4}) {
            const Attention found =
                in_a_ring(shape_, qkv_, dcontext_, dealt(shape_.length, devices, zigzag));
            expect_near(found.context, expected.context, 1e-14, "context");
            expect_near(found.dqkv, expected.dqkv, 1e-14, "dqkv");
        }
    }
}

TEST_P(AttentionForms, QueriesInTheSameGroupWithTheSameNumbersHaveTheSameContext)
{
    Doubles qkv = qkv_;
    for (std::int64_t token = 0; token < shape_.tokens(); ++token) {
        double* const row = qkv.data() + token * shape_.row();
        for (std::int64_t head = 1; head < shape_.heads; ++head) {
            std::copy(row, row + shape_.width, row + head * shape_.width);
        }
    }
    const Doubles context = flash(shape_, qkv, dcontext_).context;
    for (std::int64_t token = 0; token < shape_.tokens(); ++token) {
        for (std::int64_t head = 1; head < shape_.heads; ++head) {
            const double* const row = context.data() + token * shape_.query_width();
            const std::int64_t group = shape_.queries_per_key();
            EXPECT_EQ(std::equal(row + head * shape_.width, row + (head + 1) * shape_.width,
                                 row + head / group * group * shape_.width),
                      true);
            if (head % group == 0) {
                EXPECT_NE(row[head * shape_.width], row[0]);
            }
        }
    }
}

std::vector<AttentionShape> small_shapes()
{
    return {{2, 8, 4, 4, 6},    // of each its own keys
            {2, 8, 4, 2, 6},    // in groups
            {1, 16, 4, 1, 4},   // of one kv head
            {2, 8, 4, 2, 6, 3}, // with a window
            {1, 16, 2, 1, 4, 1}, {1, 16, 2, 1, 4, 100}};
}

INSTANTIATE_TEST_SUITE_P(Shapes, SmallAttention, testing::ValuesIn(small_shapes()));
INSTANTIATE_TEST_SUITE_P(Shapes, AttentionForms, testing::ValuesIn(small_shapes()));
INSTANTIATE_TEST_SUITE_P(OfSeveralTiles, AttentionForms,
                         testing::Values(AttentionShape{1, 320, 2, 1, 8},
                                         AttentionShape{1, 320, 2, 1, 8, 150}));

TEST(SeenPairs, AreThoseThatAreSeen)
{
    for (const std::int64_t window : {0, 1, 3, 8, 40}) {
        for (const std::int64_t query : {0, 1, 5, 8, 30}) {
            for (const std::int64_t key : {0, 3, 8, 31}) {
                const AttentionShape shape{1, 8, 1, 1, 1, window};
                std::int64_t expected = 0;
                for (std::int64_t i = query; i < query + 8; ++i) {
                    for (std::int64_t j = key; j < key + 8; ++j) {
                        expected += shape.sees(i, j) ? 1 : 0;
                    }
                }
                EXPECT_EQ(seen_pairs(window, 8, query, key), expected)
                    << "window " << window << ", query " << query << ", key " << key;
            }
        }
    }
}

TEST(FlashAttention, IsAWeightedMeanByHand)
{
    // One head of width 1: the second token weighs v = 1 and 5 by exp(0) and exp(log 3).
    const AttentionShape shape{1, 2, 1, 1, 1};
    const Doubles qkv{1, 0, 1, std::log(3.0), 1, 5};
    Doubles context(2);
    Doubles log_sums(2);
    flash_attention(shape, qkv.data(), context.data(), log_sums.data());
    expect_near(context, {1, 4}, 1e-15, "context");
    expect_near(log_sums, {0, std::log(4.0)}, 1e-15, "log_sums");
}

TEST(RingAttention, NeedsNoOrderOfBlocksWhereScoresAreFarApart)
{
    // Scores of 0 to 4000: exponentials of differences vanish, none overflows.
    const AttentionShape shape{1, 4, 1, 1, 1};
    Doubles qkv;
    for (const double position : {0.0, 1.0, 2.0, 3.0}) {
        qkv.insert(qkv.end(), {1000, position, position + 0.5});
    }
    const Doubles context = in_a_ring(shape, qkv, Doubles(4), {{3, 0}, {2, 1}}).context;
    expect_near(context, {0.5, 1.5, 2.5, 3.5}, 0, "context");
}

std::vector<std::int32_t> counted(std::int64_t length, std::int32_t first = 0)
{
    std::vector<std::int32_t> positions(size_of(length));
    std::iota(positions.begin(), positions.end(), first);
    return positions;
}

TEST(Rotary, TurnsNumbersOfBothHalvesByHand)
{
    const AttentionShape shape{1, 2, 1, 1, 4};
    Doubles qkv;
    for (int token = 0; token < 2; ++token) {
        qkv.insert(qkv.end(), {1, 0, 0, 1, 0, 1, 1, 0, 7, 8, 9, 10});
    }
    const Doubles before = qkv;
    rotary(shape, std::vector<std::int32_t>{0, 3}.data(), 100.0, 1, qkv.data());
    EXPECT_EQ(Doubles(qkv.begin(), qkv.begin() + 12), Doubles(before.begin(), before.begin() + 12));
    const double first = 3; // number 0 by position 3, number 1 by 3 / sqrt(100)
    const double second = 0.3;
    expect_near(Doubles(qkv.begin() + 12, qkv.end()),
                {std::cos(first), -std::sin(second), std::sin(first), std::cos(second),
                 -std::sin(first), std::cos(second), std::cos(first), std::sin(second), 7, 8, 9,
                 10},
                1e-15, "turned");
}

TEST(Rotary, IsUndoneByTheOtherDirectionAlsoFarOut)
{
    const AttentionShape shape{2, 8, 4, 2, 6};
    const Doubles before = drawn(3, shape.tokens() * shape.row());
    Doubles qkv = before;
    const auto positions = counted(8, 100000);
    rotary(shape, positions.data(), 1e4, 1, qkv.data());
    EXPECT_GT(std::abs(qkv[0] - before[0]), 1e-3);
    rotary(shape, positions.data(), 1e4, -1, qkv.data());
    expect_near(qkv, before, 1e-14, "turned back");
}

TEST(Rotary, MakesScoresThatDependOnDistancesAlone)
{
    const AttentionShape shape{2, 8, 4, 2, 6};
    const Doubles qkv = drawn(3, shape.tokens() * shape.row());
    const auto scores = [&](std::int32_t first) {
        Doubles turned = qkv;
        rotary(shape, counted(8, first).data(), 1e4, 1, turned.data());
        Doubles result(size_of(scores_of(shape)));
        attention_scores(shape, turned.data(), result.data());
        return result;
    };
    expect_near(scores(1000), scores(0), 1e-12, "scores");
}

} // namespace
} // namespace alxsim::transformer
