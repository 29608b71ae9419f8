// SPDX-License-Identifier: Apache-2.0
#include "alx/evaluation/score_bound.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace alxsim::alx {
namespace {

constexpr std::int64_t table_rows_at_once = 1024;

/// Side by side: an addition need not wait for the one before.
constexpr int sums_at_once = 8;

double squares(const double* numbers, int count)
{
    double sums[sums_at_once] = {};
    int i = 0;
    for (; i + sums_at_once <= count; i += sums_at_once) {
        for (int s = 0; s < sums_at_once; ++s) {
            sums[s] += numbers[i + s] * numbers[i + s];
        }
    }
    double sum = 0;
    for (; i < count; ++i) {
        sum += numbers[i] * numbers[i];
    }
    for (const double part : sums) {
        sum += part;
    }
    return sum;
}

/// Twice what dim() additions in f32 and a rounding to it can add, relative to the sum of the
/// products' magnitudes, which is not more than the product of the lengths.
double with_rounding(double length, int dim)
{
    constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
    return length * (1 + 2 * unit * (dim + 4));
}

} // namespace

std::vector<float> reaches_of(const RowStore& rows, HostPool& pool)
{
    const int dim = rows.dim();
    std::vector<float> reaches(static_cast<std::size_t>(rows.rows()));
    pool.for_chunks(rows.rows(), table_rows_at_once, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> row(static_cast<std::size_t>(dim));
        for (std::int64_t r = begin; r < end; ++r) {
            rows.get(r, row.data());
            reaches[static_cast<std::size_t>(r)] =
                static_cast<float>(with_rounding(std::sqrt(squares(row.data(), dim)), dim));
        }
    });
    return reaches;
}

double length_of(const RowStore& queries, std::int64_t query)
{
    std::vector<double> row(static_cast<std::size_t>(queries.dim()));
    queries.get(query, row.data());
    return std::sqrt(squares(row.data(), queries.dim()));
}

double reach_below(float bound, double length, int dim)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    // What rounding adds to numbers that are almost zero is not relative to them.
    const double rest = bound - dim * double{std::numeric_limits<float>::denorm_min()};
    return length > 0 ? rest / length : rest >= 0 ? infinity : -infinity;
}

} // namespace alxsim::alx
