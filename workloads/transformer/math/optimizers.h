// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/layer_math.h"

#include <cstdint>

namespace alxsim::transformer {

/// weights -= learning_rate gradient.
template <class Real>
void sgd(double learning_rate, const Real* gradient, std::int64_t count, Real* weights);

/// A step of adam() whose moments are then rounded to bf16; the weights are moved by what they were
/// before.
template <class Real>
void adam_with_bf16_state(const AdamOptions& options, int step, const Real* gradient,
                          std::int64_t count, Real* mean, Real* square, Real* weights);

// Adafactor (Shazeer and Stern 2018, algorithms 4 and 5) without momentum and relative step: the
// second moment of a matrix is kept as its sums of rows and of columns, of a vector as it is. Where
// a matrix is cut over devices, sums are added up between the calls: rows over the devices that
// share them, columns likewise, the sum of the rows' moments and the update's squares over all.

struct AdafactorOptions {
    double learning_rate = 1e-2;
    double decay_exponent = 0.8;   ///< the decay of step t is 1 - t^-0.8
    double square_epsilon = 1e-30; ///< added to each squared gradient
    double clipping = 1;           ///< the update's largest root mean square
};

/// Part of a matrix that stands here; a vector has one row.
struct AdafactorPart {
    std::int64_t rows, columns;
    std::int64_t whole; ///< numbers of the whole parameter
    std::int64_t elements() const { return rows * columns; }
};

/// row_sums[i] = sum over j of g_ij^2 + epsilon, column_sums[j] = sum over i.
template <class Real>
void adafactor_sums(const AdafactorOptions& options, const AdafactorPart& part,
                    const Real* gradient, Real* row_sums, Real* column_sums);
/// moment = decay moment + (1 - decay) sums, `step` counted from 1. Returns the moments' sum.
template <class Real>
Real adafactor_moment(const AdafactorOptions& options, int step, const Real* sums,
                      std::int64_t count, Real* moment);
/// update_ij = g_ij / sqrt(row_moment_i column_moment_j / sum of all row moments). Returns the sum
/// of its squares.
template <class Real>
Real adafactor_matrix_update(const AdafactorPart& part, const Real* gradient,
                             const Real* row_moment, const Real* column_moment, Real row_moment_sum,
                             Real* update);
/// The same of a parameter that is not factored: square = decay square + (1 - decay) (g^2 +
/// epsilon), update = g / sqrt(square).
template <class Real>
Real adafactor_vector_update(const AdafactorOptions& options, int step, const Real* gradient,
                             std::int64_t count, Real* square, Real* update);
/// weights -= learning_rate update / max(1, root mean square of the whole update / clipping).
template <class Real>
void adafactor_apply(const AdafactorOptions& options, const AdafactorPart& part, const Real* update,
                     Real square_sum, Real* weights);

/// All of that for a whole matrix.
template <class Real>
void adafactor_matrix(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t rows, std::int64_t columns, Real* row_moment,
                      Real* column_moment, Real* weights);
/// And for a whole vector.
template <class Real>
void adafactor_vector(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t count, Real* square, Real* weights);

} // namespace alxsim::transformer
