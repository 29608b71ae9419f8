// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::transformer {

// What a device computes beside products, for f32 and f64 (Real); matrices are row-major and dense
// unless a stride is given. Sums go in ascending order, elementary functions are those of
// base/portable_math.h: the same bits on every CPU. Formulas: GPT-2 (Radford et al. 2019; layer
// normalization with biased variance and eps 1e-5, GELU in its tanh form).

inline constexpr double layer_norm_epsilon = 1e-5;

/// sums[row] = sum of x[row][:].
template <class Real>
void row_sums(const Real* x, std::int64_t rows, std::int64_t columns, Real* sums);

/// sums[row] = sum of (x[row][:] - total[row] / whole)^2, for rows of `whole` numbers of which
/// `columns` stand here.
template <class Real>
void row_squares(const Real* x, const Real* total, std::int64_t rows, std::int64_t columns,
                 std::int64_t whole, Real* sums);

/// What a layer normalization's backward needs of its forward.
template <class Real>
struct NormStatistics {
    const Real* total;   ///< [rows]: sum of a row
    const Real* squares; ///< [rows]: sum of squared differences from the mean
    std::int64_t whole;  ///< numbers of a whole row
    Real mean(std::int64_t row) const { return total[row] / static_cast<Real>(whole); }
    Real inverse_deviation(std::int64_t row) const;
};

/// y = (x - mean) / deviation * gamma + beta.
template <class Real>
void normalize(const Real* x, const NormStatistics<Real>& statistics, const Real* gamma,
               const Real* beta, std::int64_t rows, std::int64_t columns, Real* y);

/// sums[0][row] = sum of dy gamma, sums[1][row] = sum of dy gamma xhat; also sets
/// dgamma[column] = sum over rows of dy xhat and dbeta[column] of dy.
template <class Real>
void norm_backward_sums(const Real* x, const Real* dy, const NormStatistics<Real>& statistics,
                        const Real* gamma, std::int64_t rows, std::int64_t columns, Real* sums,
                        Real* sums_with_x, Real* dgamma, Real* dbeta);

/// dx += (dy gamma - sums / whole - xhat sums_with_x / whole) / deviation.
template <class Real>
void add_norm_backward(const Real* x, const Real* dy, const NormStatistics<Real>& statistics,
                       const Real* gamma, const Real* sums, const Real* sums_with_x,
                       std::int64_t rows, std::int64_t columns, Real* dx);

/// y = x + z + bias; bias may be null.
template <class Real>
void add_residual(const Real* x, const Real* z, const Real* bias, std::int64_t rows,
                  std::int64_t columns, Real* y);

/// y = gelu(x), elementwise.
template <class Real>
void gelu(const Real* x, std::int64_t count, Real* y);
/// dx = dy gelu'(x); dx may be dy.
template <class Real>
void gelu_backward(const Real* x, const Real* dy, std::int64_t count, Real* dx);

/// Attention heads of a device: `sequences` of `length` tokens, `heads` of `width` numbers each.
/// The rows of qkv hold q, k and v of all heads, one after the other: [tokens x 3 heads width].
struct Heads {
    std::int64_t sequences, length, heads, width;
    std::int64_t hidden() const { return heads * width; }
};

/// scores[sequence][head][i][j] = q_i k_j / sqrt(width); those of j > i are computed and unused.
template <class Real>
void attention_scores(const Heads& heads, const Real* qkv, Real* scores);
/// probabilities[..][i][:] = softmax of scores[..][i][:i+1], and 0 beyond.
template <class Real>
void causal_softmax(const Heads& heads, const Real* scores, Real* probabilities);
/// context[token][head] = probabilities times v.
template <class Real>
void attention_context(const Heads& heads, const Real* probabilities, const Real* qkv,
                       Real* context);
/// dprobabilities = dcontext times v transposed, and the part of dqkv that is of v.
template <class Real>
void attention_context_backward(const Heads& heads, const Real* probabilities, const Real* qkv,
                                const Real* dcontext, Real* dprobabilities, Real* dqkv);
/// In place: dprobabilities become dscores.
template <class Real>
void causal_softmax_backward(const Heads& heads, const Real* probabilities, Real* dprobabilities);
/// The parts of dqkv that are of q and k.
template <class Real>
void attention_scores_backward(const Heads& heads, const Real* dscores, const Real* qkv,
                               Real* dqkv);

/// Logits of a part of the vocabulary, [rows x columns], whose first token is `first`.
template <class Real>
struct VocabularyPart {
    const Real* logits;
    std::int64_t rows, columns, first;
    const std::int32_t* targets; ///< [rows]
};

template <class Real>
void row_maxima(const VocabularyPart<Real>& part, Real* maxima);
/// sums[row] = sum of exp(logit - maximum[row]).
template <class Real>
void exponential_sums(const VocabularyPart<Real>& part, const Real* maxima, Real* sums);
/// The logit of the row's target, 0 where it stands elsewhere.
template <class Real>
void target_logits(const VocabularyPart<Real>& part, Real* targets);
/// Sum over rows of log(sums) + maxima - targets, divided by `tokens`.
template <class Real>
Real mean_cross_entropy(const Real* maxima, const Real* sums, const Real* targets,
                        std::int64_t rows, std::int64_t tokens);
/// gradient = (softmax - 1 at the target) / tokens.
template <class Real>
void cross_entropy_backward(const VocabularyPart<Real>& part, const Real* maxima, const Real* sums,
                            std::int64_t tokens, Real* gradient);

/// x[row] += table[ids[row] - first] for ids that stand in [first, first + table_rows).
template <class Real>
void add_looked_up(const std::int32_t* ids, std::int64_t rows, const Real* table,
                   std::int64_t first, std::int64_t table_rows, std::int64_t columns, Real* x);
/// table[ids[row] - first] += dx[row], likewise.
template <class Real>
void add_to_looked_up(const std::int32_t* ids, std::int64_t rows, const Real* dx,
                      std::int64_t first, std::int64_t table_rows, std::int64_t columns,
                      Real* table);

struct AdamOptions {
    double learning_rate = 1e-3;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// A step of Adam (Kingma and Ba 2015, algorithm 1), `step` counted from 1.
template <class Real>
void adam(const AdamOptions& options, int step, const Real* gradient, std::int64_t count,
          Real* mean, Real* square, Real* weights);

} // namespace alxsim::transformer
