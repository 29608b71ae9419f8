// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::transformer {

// What a device computes beside products, for f32 and f64 (Real); matrices are row-major and dense
// unless a stride is given. Sums go in ascending order, elementary functions are those of
// base/portable_math.h: the same bits on every CPU. Layer normalization is GPT-2's (Radford et al.
// 2019): biased variance, eps 1e-5. Attention, activations and other norms: math/.

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
