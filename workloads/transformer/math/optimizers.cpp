// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/math/optimizers.h"

#include "base/numbers/bf16.h"
#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::transformer {
namespace {

template <class Real>
void round_to_bf16(Real* numbers, std::int64_t count)
{
    std::transform(numbers, numbers + count, numbers, [](Real number) {
        return static_cast<Real>(to_float(to_bf16(static_cast<float>(number))));
    });
}

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
void adam_with_bf16_state(const AdamOptions& options, int step, const Real* gradient,
                          std::int64_t count, Real* mean, Real* square, Real* weights)
{
    adam(options, step, gradient, count, mean, square, weights);
    round_to_bf16(mean, count);
    round_to_bf16(square, count);
}

template <class Real>
void adafactor_sums(const AdafactorOptions& options, const AdafactorPart& part,
                    const Real* gradient, Real* row_sums, Real* column_sums)
{
    const auto epsilon = static_cast<Real>(options.square_epsilon);
    std::fill(column_sums, column_sums + part.columns, Real(0));
    for (std::int64_t row = 0; row < part.rows; ++row) {
        Real sum = 0;
        for (std::int64_t i = 0; i < part.columns; ++i) {
            const Real number = gradient[row * part.columns + i];
            const Real square = number * number + epsilon;
            sum += square;
            column_sums[i] += square;
        }
        row_sums[row] = sum;
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
Real adafactor_matrix_update(const AdafactorPart& part, const Real* gradient,
                             const Real* row_moment, const Real* column_moment, Real row_moment_sum,
                             Real* update)
{
    Real squares = 0;
    for (std::int64_t row = 0; row < part.rows; ++row) {
        const Real share = row_moment[row] / row_moment_sum;
        for (std::int64_t i = 0; i < part.columns; ++i) {
            const std::int64_t at = row * part.columns + i;
            update[at] = gradient[at] / std::sqrt(share * column_moment[i]);
            squares += update[at] * update[at];
        }
    }
    return squares;
}

template <class Real>
Real adafactor_vector_update(const AdafactorOptions& options, int step, const Real* gradient,
                             std::int64_t count, Real* square, Real* update)
{
    const auto share = share_of_new<Real>(options, step);
    const auto epsilon = static_cast<Real>(options.square_epsilon);
    Real squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        square[i] = (1 - share) * square[i] + share * (gradient[i] * gradient[i] + epsilon);
        update[i] = gradient[i] / std::sqrt(square[i]);
        squares += update[i] * update[i];
    }
    return squares;
}

template <class Real>
void adafactor_apply(const AdafactorOptions& options, const AdafactorPart& part, const Real* update,
                     Real square_sum, Real* weights)
{
    const Real root_mean_square = std::sqrt(square_sum / static_cast<Real>(part.whole));
    const auto clipping = static_cast<Real>(options.clipping);
    sgd(options.learning_rate / static_cast<double>(std::max(Real(1), root_mean_square / clipping)),
        update, part.elements(), weights);
}

template <class Real>
void adafactor_matrix(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t rows, std::int64_t columns, Real* row_moment,
                      Real* column_moment, Real* weights)
{
    const AdafactorPart all{rows, columns, rows * columns};
    std::vector<Real> row_sums(static_cast<std::size_t>(rows));
    std::vector<Real> column_sums(static_cast<std::size_t>(columns));
    std::vector<Real> update(static_cast<std::size_t>(all.whole));
    adafactor_sums(options, all, gradient, row_sums.data(), column_sums.data());
    const Real sum = adafactor_moment(options, step, row_sums.data(), rows, row_moment);
    adafactor_moment(options, step, column_sums.data(), columns, column_moment);
    const Real squares =
        adafactor_matrix_update(all, gradient, row_moment, column_moment, sum, update.data());
    adafactor_apply(options, all, update.data(), squares, weights);
}

template <class Real>
void adafactor_vector(const AdafactorOptions& options, int step, const Real* gradient,
                      std::int64_t count, Real* square, Real* weights)
{
    std::vector<Real> update(static_cast<std::size_t>(count));
    const Real squares =
        adafactor_vector_update(options, step, gradient, count, square, update.data());
    adafactor_apply(options, {1, count, count}, update.data(), squares, weights);
}

// Once for each kind of number.
#define ALXSIM_OPTIMIZERS(Real)                                                                    \
    template void sgd(double, const Real*, std::int64_t, Real*);                                   \
    template void adam_with_bf16_state(const AdamOptions&, int, const Real*, std::int64_t, Real*,  \
                                       Real*, Real*);                                              \
    template void adafactor_sums(const AdafactorOptions&, const AdafactorPart&, const Real*,       \
                                 Real*, Real*);                                                    \
    template Real adafactor_moment(const AdafactorOptions&, int, const Real*, std::int64_t,        \
                                   Real*);                                                         \
    template Real adafactor_matrix_update(const AdafactorPart&, const Real*, const Real*,          \
                                          const Real*, Real, Real*);                               \
    template Real adafactor_vector_update(const AdafactorOptions&, int, const Real*, std::int64_t, \
                                          Real*, Real*);                                           \
    template void adafactor_apply(const AdafactorOptions&, const AdafactorPart&, const Real*,      \
                                  Real, Real*);                                                    \
    template void adafactor_matrix(const AdafactorOptions&, int, const Real*, std::int64_t,        \
                                   std::int64_t, Real*, Real*, Real*);                             \
    template void adafactor_vector(const AdafactorOptions&, int, const Real*, std::int64_t, Real*, \
                                   Real*);

ALXSIM_OPTIMIZERS(float)
ALXSIM_OPTIMIZERS(double)
#undef ALXSIM_OPTIMIZERS

} // namespace alxsim::transformer
