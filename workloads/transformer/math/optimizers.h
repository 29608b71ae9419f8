// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/transformer/layer_math.h"

#include <cstdint>

namespace alxsim::transformer {

/// weights -= learning_rate gradient.
template <class Real>
void sgd(double learning_rate, const Real* gradient, std::int64_t count, Real* weights);

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

/// What stands here of a matrix [rows x columns]: `count` numbers from `first` on, as they stand.
struct AdafactorPart {
    std::int64_t rows, columns;
    std::int64_t first, count;
};

/// row_sums[i] = sum of g_ij^2 + epsilon over what stands here, column_sums[j] likewise.
template <class Real>
void adafactor_sums(const AdafactorOptions& options, const AdafactorPart& part,
                    const Real* gradient, Real* row_sums, Real* column_sums);
/// moment = decay moment + (1 - decay) sums, `step` counted from 1. Returns the moments' sum.
template <class Real>
Real adafactor_moment(const AdafactorOptions& options, int step, const Real* sums,
                      std::int64_t count, Real* moment);
/// The same of a parameter that is not factored, with g^2 + epsilon.
template <class Real>
void adafactor_square(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t count, Real* square);
/// update_ij = g_ij / sqrt(row_moment_i column_moment_j / sum of all row moments). Returns the sum
/// of its squares.
template <class Real>
Real adafactor_matrix_update(const AdafactorPart& part, const Real* gradient,
                             const Real* row_moment, const Real* column_moment, Real row_moment_sum,
                             Real* update);
/// update = g / sqrt(square), likewise.
template <class Real>
Real adafactor_vector_update(const Real* gradient, std::int64_t count, const Real* square,
                             Real* update);
/// weights -= learning_rate update / max(1, root mean square of the whole update / clipping), where
/// the whole has so many numbers.
template <class Real>
void adafactor_apply(const AdafactorOptions& options, const Real* update, std::int64_t count,
                     Real square_sum, std::int64_t whole, Real* weights);

} // namespace alxsim::transformer
