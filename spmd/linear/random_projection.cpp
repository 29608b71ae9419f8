// SPDX-License-Identifier: Apache-2.0
#include "spmd/linear/random_projection.h"

#include "spmd/linear/product.h"
#include "spmd/linear/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace alxsim::spmd {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

double squares(const std::vector<double>& x)
{
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

double fourth_powers(const std::vector<double>& x)
{
    return std::accumulate(x.begin(), x.end(), 0.0, [](double sum, double value) {
        return sum + value * value * value * value;
    });
}

/// Moments of a matrix: |X X^T|^2 and the sums of squared squares of rows and columns.
struct MatrixMoments {
    double gramian = 0, rows = 0, columns = 0;
};

MatrixMoments moments_of(const std::vector<double>& x, std::int64_t rows, std::int64_t columns)
{
    const bool wide = rows < columns;
    const std::int64_t side = wide ? rows : columns;
    std::vector<double> gramian(static_cast<std::size_t>(side * side));
    set_product(Factors<double>{{x.data(), columns, !wide},
                                {x.data(), columns, wide},
                                {gramian.data(), side}},
                {side, wide ? columns : rows, side});
    std::vector<double> of_row(static_cast<std::size_t>(rows));
    std::vector<double> of_column(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < x.size(); ++i) {
        of_row[i / of_column.size()] += x[i] * x[i];
        of_column[i % of_column.size()] += x[i] * x[i];
    }
    return {squares(gramian), squares(of_row), squares(of_column)};
}

} // namespace

RandomProjection::RandomProjection(RandomEntries entries, std::vector<std::int64_t> n,
                                   std::vector<std::int64_t> m, std::uint64_t stream)
    : entries_(entries),
      n_(std::move(n)),
      m_(std::move(m)),
      stream_(stream)
{
    if (n_.empty() || n_.size() != m_.size()) {
        throw std::logic_error("a projection with other modes before than behind it");
    }
}

std::int64_t RandomProjection::numbers() const
{
    return product_of(n_);
}

std::int64_t RandomProjection::kept() const
{
    return product_of(m_);
}

double RandomProjection::entry(std::size_t mode, std::int64_t index) const
{
    const std::uint64_t stream = stream_ + mode;
    switch (entries_) {
    case RandomEntries::signs:
        return random_sign(stream, index);
    case RandomEntries::normal:
        return random_normal(stream, index);
    case RandomEntries::very_sparse:
        break;
    }
    const double s = std::sqrt(static_cast<double>(n_[mode]));
    const double chance = random_uniform(stream, index) * s;
    return chance >= 1 ? 0 : chance < 0.5 ? std::sqrt(s) : -std::sqrt(s);
}

double RandomProjection::excess(std::size_t mode) const
{
    const double kurtosis = entries_ == RandomEntries::signs ? 1
                            : entries_ == RandomEntries::normal
                                ? 3
                                : std::sqrt(static_cast<double>(n_[mode]));
    return (kurtosis - 3) / static_cast<double>(m_[mode]);
}

std::vector<double> RandomProjection::matrix(std::size_t mode) const
{
    std::vector<double> numbers(static_cast<std::size_t>(n_[mode] * m_[mode]));
    const double scale = mode == 0 ? 1 / std::sqrt(static_cast<double>(kept())) : 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = scale * entry(mode, static_cast<std::int64_t>(i));
    }
    return numbers;
}

std::vector<double> RandomProjection::project(const std::vector<double>& x) const
{
    std::vector<double> now = x;
    ModeShape shape{static_cast<std::int64_t>(x.size()), 1, 1};
    for (std::size_t mode = modes(); mode-- > 0;) {
        shape = {shape.outer / n_[mode], n_[mode], shape.inner};
        std::vector<double> next(static_cast<std::size_t>(shape.outer * m_[mode] * shape.inner));
        mode_product(matrix(mode).data(), m_[mode], now.data(), shape, next.data());
        now = std::move(next);
        shape.inner *= m_[mode];
    }
    return now;
}

double RandomProjection::variance_operations() const
{
    const auto all = static_cast<double>(numbers());
    switch (modes()) {
    case 1:
        return all;
    case 2:
        return all * static_cast<double>(std::min(n_[0], n_[1]));
    default:
        return std::ldexp(all * all, 2 * static_cast<int>(modes()));
    }
}

double RandomProjection::variance(const std::vector<double>& x) const
{
    const double norm = squares(x) * squares(x);
    if (modes() == 1) {
        return 2 * norm / static_cast<double>(m_[0]) + excess(0) * fourth_powers(x);
    }
    if (modes() > 2) {
        return variance_by_pairings(x);
    }
    const double a = 1 / static_cast<double>(m_[0]);
    const double b = 1 / static_cast<double>(m_[1]);
    const MatrixMoments moments = moments_of(x, n_[0], n_[1]);
    return 2 * norm * a * b + 2 * moments.gramian * (a + b + a * b) +
           moments.rows * excess(0) * (1 + 2 * b) + moments.columns * excess(1) * (1 + 2 * a) +
           excess(0) * excess(1) * fourth_powers(x);
}

double RandomProjection::variance_by_pairings(const std::vector<double>& x) const
{
    // Which of a pair of places (I, J) a copy of x takes in a mode, by the mode's pairing.
    static constexpr std::size_t from_second[4][4] = {
        {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 0, 0, 0}};
    double fourth_moment = 0;
    const std::size_t choices = std::size_t{1} << (2 * modes());
    std::vector<std::size_t> stride(modes(), 1);
    for (std::size_t mode = modes() - 1; mode-- > 0;) {
        stride[mode] = stride[mode + 1] * static_cast<std::size_t>(n_[mode + 1]);
    }
    for (std::size_t choice = 0; choice < choices; ++choice) {
        double weight = 1;
        for (std::size_t mode = 0; mode < modes(); ++mode) {
            const std::size_t pairing = choice >> (2 * mode) & 3;
            weight *= pairing == 0   ? 1
                      : pairing == 3 ? excess(mode)
                                     : 1 / static_cast<double>(m_[mode]);
        }
        const auto sum = [&](const auto& self, std::size_t mode,
                             std::array<std::size_t, 4> at) -> double {
            if (mode == modes()) {
                return x[at[0]] * x[at[1]] * x[at[2]] * x[at[3]];
            }
            const std::size_t pairing = choice >> (2 * mode) & 3;
            const auto n = static_cast<std::size_t>(n_[mode]);
            double total = 0;
            for (std::size_t i = 0; i < n; ++i) {
                for (std::size_t j = pairing == 3 ? i : 0; j < (pairing == 3 ? i + 1 : n); ++j) {
                    std::array<std::size_t, 4> below = at;
                    for (std::size_t copy = 0; copy < 4; ++copy) {
                        below[copy] += stride[mode] * (from_second[pairing][copy] == 0 ? i : j);
                    }
                    total += self(self, mode + 1, below);
                }
            }
            return total;
        };
        fourth_moment += weight == 0 ? 0 : weight * sum(sum, 0, {0, 0, 0, 0});
    }
    return fourth_moment - squares(x) * squares(x);
}

std::vector<double> norm_ratios(const std::vector<double>& x, const std::vector<double>& f,
                                std::int64_t vectors)
{
    const auto norm = [&](const std::vector<double>& rows, std::int64_t row) {
        const auto columns = static_cast<std::ptrdiff_t>(rows.size()) / vectors;
        const auto begin = rows.begin() + row * columns;
        return std::inner_product(begin, begin + columns, begin, 0.0);
    };
    std::vector<double> means(2);
    for (std::int64_t row = 0; row < vectors; ++row) {
        const double before = norm(x, row);
        const double ratio = before == 0 ? 1 : norm(f, row) / before;
        means[0] += ratio / static_cast<double>(vectors);
        means[1] += ratio * ratio / static_cast<double>(vectors);
    }
    return means;
}

std::optional<double> exact_ratio_deviation(const RandomProjection& projection,
                                            const std::vector<double>& x, std::int64_t vectors)
{
    constexpr double most_operations = 2e8;
    if (projection.variance_operations() * static_cast<double>(vectors) > most_operations) {
        return std::nullopt;
    }
    double variance = 0;
    const auto columns = static_cast<std::ptrdiff_t>(projection.numbers());
    for (std::int64_t row = 0; row < vectors; ++row) {
        const auto begin = x.begin() + row * columns;
        const std::vector<double> one(begin, begin + columns);
        const double norm = squares(one);
        variance += norm == 0 ? 0 : projection.variance(one) / (norm * norm);
    }
    return std::sqrt(variance / static_cast<double>(vectors));
}

Json ratios_json(const std::vector<std::vector<double>>& of_draws,
                 const std::optional<double>& exact)
{
    double mean = 0;
    double mean_of_squares = 0;
    for (const std::vector<double>& draw : of_draws) {
        mean += draw[0] / static_cast<double>(of_draws.size());
        mean_of_squares += draw[1] / static_cast<double>(of_draws.size());
    }
    Json json = {{"mean", mean},
                 {"standard_deviation", std::sqrt(std::max(0.0, mean_of_squares - mean * mean))}};
    if (exact) {
        json["exact_standard_deviation"] = *exact;
    }
    return json;
}

} // namespace alxsim::spmd
