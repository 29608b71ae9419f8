// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer_math.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace alxsim::transformer {
namespace {

/// exp(numbers), in place.
void exponentials(std::vector<double>& numbers)
{
    portable::exp(numbers.data(), numbers.data(), numbers.size());
}

/// exp(logit - maximum) of a row.
template <class Real>
void row_exponentials(const VocabularyPart<Real>& part, std::int64_t row, Real maximum,
                      std::vector<double>& powers)
{
    for (std::int64_t i = 0; i < part.columns; ++i) {
        powers[static_cast<std::size_t>(i)] =
            static_cast<double>(part.logits[row * part.columns + i] - maximum);
    }
    exponentials(powers);
}

} // namespace

template <class Real>
void row_sums(const Real* x, std::int64_t rows, std::int64_t columns, Real* sums)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        Real sum = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
            sum += x[row * columns + i];
        }
        sums[row] = sum;
    }
}

template <class Real>
void row_squares(const Real* x, const Real* total, std::int64_t rows, std::int64_t columns,
                 std::int64_t whole, Real* sums)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        const Real mean = total[row] / static_cast<Real>(whole);
        Real sum = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
            const Real difference = x[row * columns + i] - mean;
            sum += difference * difference;
        }
        sums[row] = sum;
    }
}

template <class Real>
Real NormStatistics<Real>::inverse_deviation(std::int64_t row) const
{
    return 1 / std::sqrt(squares[row] / static_cast<Real>(whole) +
                         static_cast<Real>(layer_norm_epsilon));
}

template <class Real>
void normalize(const Real* x, const NormStatistics<Real>& statistics, const Real* gamma,
               const Real* beta, std::int64_t rows, std::int64_t columns, Real* y)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        const Real mean = statistics.mean(row);
        const Real inverse = statistics.inverse_deviation(row);
        for (std::int64_t i = 0; i < columns; ++i) {
            y[row * columns + i] = (x[row * columns + i] - mean) * inverse * gamma[i] + beta[i];
        }
    }
}

template <class Real>
void norm_backward_sums(const Real* x, const Real* dy, const NormStatistics<Real>& statistics,
                        const Real* gamma, std::int64_t rows, std::int64_t columns, Real* sums,
                        Real* sums_with_x, Real* dgamma, Real* dbeta)
{
    std::fill(dgamma, dgamma + columns, Real(0));
    std::fill(dbeta, dbeta + columns, Real(0));
    for (std::int64_t row = 0; row < rows; ++row) {
        const Real mean = statistics.mean(row);
        const Real inverse = statistics.inverse_deviation(row);
        Real sum = 0;
        Real sum_with_x = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
            const Real gradient = dy[row * columns + i];
            const Real normal = (x[row * columns + i] - mean) * inverse;
            sum += gradient * gamma[i];
            sum_with_x += gradient * gamma[i] * normal;
            dgamma[i] += gradient * normal;
            dbeta[i] += gradient;
        }
        sums[row] = sum;
        sums_with_x[row] = sum_with_x;
    }
}

template <class Real>
void add_norm_backward(const Real* x, const Real* dy, const NormStatistics<Real>& statistics,
                       const Real* gamma, const Real* sums, const Real* sums_with_x,
                       std::int64_t rows, std::int64_t columns, Real* dx)
{
    const auto whole = static_cast<Real>(statistics.whole);
    for (std::int64_t row = 0; row < rows; ++row) {
        const Real mean = statistics.mean(row);
        const Real inverse = statistics.inverse_deviation(row);
        const Real sum = sums[row] / whole;
        const Real sum_with_x = sums_with_x[row] / whole;
        for (std::int64_t i = 0; i < columns; ++i) {
            const Real normal = (x[row * columns + i] - mean) * inverse;
            dx[row * columns + i] +=
                (dy[row * columns + i] * gamma[i] - sum - normal * sum_with_x) * inverse;
        }
    }
}

template <class Real>
void add_residual(const Real* x, const Real* z, const Real* bias, std::int64_t rows,
                  std::int64_t columns, Real* y)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < columns; ++i) {
            y[row * columns + i] =
                x[row * columns + i] +
                (bias == nullptr ? z[row * columns + i] : z[row * columns + i] + bias[i]);
        }
    }
}

template <class Real>
void row_maxima(const VocabularyPart<Real>& part, Real* maxima)
{
    for (std::int64_t row = 0; row < part.rows; ++row) {
        const Real* const logits = part.logits + row * part.columns;
        maxima[row] = *std::max_element(logits, logits + part.columns);
    }
}

template <class Real>
void exponential_sums(const VocabularyPart<Real>& part, const Real* maxima, Real* sums)
{
    std::vector<double> powers(static_cast<std::size_t>(part.columns));
    for (std::int64_t row = 0; row < part.rows; ++row) {
        row_exponentials(part, row, maxima[row], powers);
        double sum = 0;
        for (const double power : powers) {
            sum += power;
        }
        sums[row] = static_cast<Real>(sum);
    }
}

template <class Real>
void target_logits(const VocabularyPart<Real>& part, Real* targets)
{
    for (std::int64_t row = 0; row < part.rows; ++row) {
        const std::int64_t place = part.targets[row] - part.first;
        const bool here = place >= 0 && place < part.columns;
        targets[row] = here ? part.logits[row * part.columns + place] : Real(0);
    }
}

template <class Real>
Real mean_cross_entropy(const Real* maxima, const Real* sums, const Real* targets,
                        std::int64_t rows, std::int64_t tokens)
{
    double sum = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        sum += portable::log(static_cast<double>(sums[row])) +
               static_cast<double>(maxima[row] - targets[row]);
    }
    return static_cast<Real>(sum / static_cast<double>(tokens));
}

template <class Real>
void cross_entropy_backward(const VocabularyPart<Real>& part, const Real* maxima, const Real* sums,
                            std::int64_t tokens, Real* gradient)
{
    std::vector<double> powers(static_cast<std::size_t>(part.columns));
    for (std::int64_t row = 0; row < part.rows; ++row) {
        row_exponentials(part, row, maxima[row], powers);
        const double scale = 1 / (static_cast<double>(sums[row]) * static_cast<double>(tokens));
        for (std::int64_t i = 0; i < part.columns; ++i) {
            gradient[row * part.columns + i] =
                static_cast<Real>(powers[static_cast<std::size_t>(i)] * scale);
        }
        const std::int64_t place = part.targets[row] - part.first;
        if (place >= 0 && place < part.columns) {
            gradient[row * part.columns + place] -=
                static_cast<Real>(1 / static_cast<double>(tokens));
        }
    }
}

template <class Real>
void add_looked_up(const std::int32_t* ids, std::int64_t rows, const Real* table,
                   std::int64_t first, std::int64_t table_rows, std::int64_t columns, Real* x)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t place = ids[row] - first;
        if (place < 0 || place >= table_rows) {
            continue;
        }
        for (std::int64_t i = 0; i < columns; ++i) {
            x[row * columns + i] += table[place * columns + i];
        }
    }
}

template <class Real>
void add_to_looked_up(const std::int32_t* ids, std::int64_t rows, const Real* dx,
                      std::int64_t first, std::int64_t table_rows, std::int64_t columns,
                      Real* table)
{
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t place = ids[row] - first;
        if (place < 0 || place >= table_rows) {
            continue;
        }
        for (std::int64_t i = 0; i < columns; ++i) {
            table[place * columns + i] += dx[row * columns + i];
        }
    }
}

template <class Real>
void adam(const AdamOptions& options, int step, const Real* gradient, std::int64_t count,
          Real* mean, Real* square, Real* weights)
{
    const auto beta1 = static_cast<Real>(options.beta1);
    const auto beta2 = static_cast<Real>(options.beta2);
    const auto mean_scale = static_cast<Real>(1 / (1 - portable::pow(options.beta1, step)));
    const auto square_scale = static_cast<Real>(1 / (1 - portable::pow(options.beta2, step)));
    const auto rate = static_cast<Real>(options.learning_rate);
    const auto epsilon = static_cast<Real>(options.epsilon);
    for (std::int64_t i = 0; i < count; ++i) {
        mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
        square[i] = beta2 * square[i] + (1 - beta2) * gradient[i] * gradient[i];
        weights[i] -=
            rate * (mean[i] * mean_scale) / (std::sqrt(square[i] * square_scale) + epsilon);
    }
}

// Once for each kind of number.
#define ALXSIM_LAYER_MATH(Real)                                                                    \
    template void row_sums(const Real*, std::int64_t, std::int64_t, Real*);                        \
    template void row_squares(const Real*, const Real*, std::int64_t, std::int64_t, std::int64_t,  \
                              Real*);                                                              \
    template struct NormStatistics<Real>;                                                          \
    template void normalize(const Real*, const NormStatistics<Real>&, const Real*, const Real*,    \
                            std::int64_t, std::int64_t, Real*);                                    \
    template void norm_backward_sums(const Real*, const Real*, const NormStatistics<Real>&,        \
                                     const Real*, std::int64_t, std::int64_t, Real*, Real*, Real*, \
                                     Real*);                                                       \
    template void add_norm_backward(const Real*, const Real*, const NormStatistics<Real>&,         \
                                    const Real*, const Real*, const Real*, std::int64_t,           \
                                    std::int64_t, Real*);                                          \
    template void add_residual(const Real*, const Real*, const Real*, std::int64_t, std::int64_t,  \
                               Real*);                                                             \
    template void row_maxima(const VocabularyPart<Real>&, Real*);                                  \
    template void exponential_sums(const VocabularyPart<Real>&, const Real*, Real*);               \
    template void target_logits(const VocabularyPart<Real>&, Real*);                               \
    template Real mean_cross_entropy(const Real*, const Real*, const Real*, std::int64_t,          \
                                     std::int64_t);                                                \
    template void cross_entropy_backward(const VocabularyPart<Real>&, const Real*, const Real*,    \
                                         std::int64_t, Real*);                                     \
    template void add_looked_up(const std::int32_t*, std::int64_t, const Real*, std::int64_t,      \
                                std::int64_t, std::int64_t, Real*);                                \
    template void add_to_looked_up(const std::int32_t*, std::int64_t, const Real*, std::int64_t,   \
                                   std::int64_t, std::int64_t, Real*);                             \
    template void adam(const AdamOptions&, int, const Real*, std::int64_t, Real*, Real*, Real*);

ALXSIM_LAYER_MATH(float)
ALXSIM_LAYER_MATH(double)
#undef ALXSIM_LAYER_MATH

} // namespace alxsim::transformer
