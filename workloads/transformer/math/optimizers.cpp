// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/optimizers.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::transformer {
namespace {

/// How much of the new comes into a moment.
template <class Real>
Real share_of_new(const AdafactorOptions& options, int step)
{
    return static_cast<Real>(portable::pow(step, -options.decay_exponent));
}

} // namespace

template <class Real>
void sgd(double learning_rate, const Real* gradient, std::int64_t count, Real* weights)
{
    const auto rate = static_cast<Real>(learning_rate);
    for (std::int64_t i = 0; i < count; ++i) {
        weights[i] -= rate * gradient[i];
    }
}

template <class Real>
void adafactor_sums(const AdafactorOptions& options, const AdafactorPart& part,
                    const Real* gradient, Real* row_sums, Real* column_sums)
{
    const auto epsilon = static_cast<Real>(options.square_epsilon);
    std::fill(row_sums, row_sums + part.rows, Real(0));
    std::fill(column_sums, column_sums + part.columns, Real(0));
    for (std::int64_t i = 0; i < part.count; ++i) {
        const std::int64_t at = part.first + i;
        const Real square = gradient[i] * gradient[i] + epsilon;
        row_sums[at / part.columns] += square;
        column_sums[at % part.columns] += square;
    }
}

template <class Real>
Real adafactor_moment(const AdafactorOptions& options, int step, const Real* sums,
                      std::int64_t count, Real* moment)
{
    const auto share = share_of_new<Real>(options, step);
    Real all = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        moment[i] = (1 - share) * moment[i] + share * sums[i];
        all += moment[i];
    }
    return all;
}

template <class Real>
void adafactor_square(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t count, Real* square)
{
    const auto share = share_of_new<Real>(options, step);
    const auto epsilon = static_cast<Real>(options.square_epsilon);
    for (std::int64_t i = 0; i < count; ++i) {
        square[i] = (1 - share) * square[i] + share * (gradient[i] * gradient[i] + epsilon);
    }
}

template <class Real>
Real adafactor_matrix_update(const AdafactorPart& part, const Real* gradient,
                             const Real* row_moment, const Real* column_moment, Real row_moment_sum,
                             Real* update)
{
    Real squares = 0;
    for (std::int64_t i = 0; i < part.count; ++i) {
        const std::int64_t at = part.first + i;
        const Real moment =
            row_moment[at / part.columns] / row_moment_sum * column_moment[at % part.columns];
        update[i] = gradient[i] / std::sqrt(moment);
        squares += update[i] * update[i];
    }
    return squares;
}

template <class Real>
Real adafactor_vector_update(const Real* gradient, std::int64_t count, const Real* square,
                             Real* update)
{
    Real squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        update[i] = gradient[i] / std::sqrt(square[i]);
        squares += update[i] * update[i];
    }
    return squares;
}

template <class Real>
void adafactor_apply(const AdafactorOptions& options, const Real* update, std::int64_t count,
                     Real square_sum, std::int64_t whole, Real* weights)
{
    const Real root_mean_square = std::sqrt(square_sum / static_cast<Real>(whole));
    const Real excess = root_mean_square / static_cast<Real>(options.clipping);
    sgd(options.learning_rate / static_cast<double>(std::max(Real(1), excess)), update, count,
        weights);
}

// Once for each kind of number.
#define ALXSIM_OPTIMIZERS(Real)                                                                    \
    template void sgd(double, const Real*, std::int64_t, Real*);                                   \
    template void adafactor_sums(const AdafactorOptions&, const AdafactorPart&, const Real*,       \
                                 Real*, Real*);                                                    \
    template Real adafactor_moment(const AdafactorOptions&, int, const Real*, std::int64_t,        \
                                   Real*);                                                         \
    template void adafactor_square(const AdafactorOptions&, int, const Real*, std::int64_t,        \
                                   Real*);                                                         \
    template Real adafactor_matrix_update(const AdafactorPart&, const Real*, const Real*,          \
                                          const Real*, Real, Real*);                               \
    template Real adafactor_vector_update(const Real*, std::int64_t, const Real*, Real*);          \
    template void adafactor_apply(const AdafactorOptions&, const Real*, std::int64_t, Real,        \
                                  std::int64_t, Real*);

ALXSIM_OPTIMIZERS(float)
ALXSIM_OPTIMIZERS(double)
#undef ALXSIM_OPTIMIZERS

} // namespace alxsim::transformer
