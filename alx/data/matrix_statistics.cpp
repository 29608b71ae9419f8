// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_statistics.h"

#include "base/portable_math.h"

#include <algorithm>
#include <cmath>

namespace alxsim::alx {
namespace {

constexpr std::ptrdiff_t fewest_samples = 50;

/// Fits the ascending lengths from `first` on; `logs` is the sum of their logarithms.
PowerLawTail fit_from(const std::vector<std::int64_t>& lengths, std::size_t first, double logs)
{
    PowerLawTail tail;
    tail.begin = lengths[first];
    tail.samples = static_cast<std::int64_t>(lengths.size() - first);
    const auto samples = static_cast<double>(tail.samples);
    const double low = static_cast<double>(tail.begin) - 0.5;
    tail.exponent = 1 + samples / (logs - samples * portable::log(low));
    for (std::size_t i = first; i < lengths.size();) {
        std::size_t next = i;
        while (next < lengths.size() && lengths[next] == lengths[i]) {
            ++next;
        }
        const double fitted =
            1 - portable::pow((static_cast<double>(lengths[i]) + 0.5) / low, 1 - tail.exponent);
        const double found = static_cast<double>(next - first) / samples;
        tail.distance = std::max(tail.distance, std::abs(fitted - found));
        i = next;
    }
    return tail;
}

} // namespace

PowerLawTail fit_tail(std::vector<std::int64_t> lengths)
{
    lengths.erase(std::remove(lengths.begin(), lengths.end(), 0), lengths.end());
    std::sort(lengths.begin(), lengths.end());
    PowerLawTail best;
    best.distance = 2;
    double logs = 0;
    std::vector<double> log_sums(lengths.size());
    for (std::size_t i = lengths.size(); i-- > 0;) {
        logs += portable::log(static_cast<double>(lengths[i]));
        log_sums[i] = logs;
    }
    // Candidates a tenth apart are near enough, and few.
    for (double candidate = 1; !lengths.empty();
         candidate = std::max(candidate + 1, candidate * 1.1)) {
        const auto first =
            std::lower_bound(lengths.begin(), lengths.end(), static_cast<std::int64_t>(candidate));
        if (lengths.end() - first < fewest_samples || *first == lengths.back()) {
            break;
        }
        const auto index = static_cast<std::size_t>(first - lengths.begin());
        const PowerLawTail tail = fit_from(lengths, index, log_sums[index]);
        if (tail.distance < best.distance) {
            best = tail;
        }
    }
    return best.distance > 1 ? PowerLawTail() : best;
}

Neighbourhood::Neighbourhood(std::int32_t row_count, std::int32_t column_count)
    : rows(row_count),
      columns(column_count),
      distance(std::max(8, column_count / 32))
{
}

std::int32_t Neighbourhood::begin(std::int32_t row) const
{
    const std::int64_t centre = std::int64_t{row} * columns / rows;
    return static_cast<std::int32_t>(std::max<std::int64_t>(centre - distance, 0));
}

std::int32_t Neighbourhood::end(std::int32_t row) const
{
    const std::int64_t centre = std::int64_t{row} * columns / rows;
    return static_cast<std::int32_t>(std::min<std::int64_t>(centre + distance + 1, columns));
}

double locality(const SparseMatrix& matrix)
{
    const Neighbourhood near(matrix.rows, matrix.columns);
    std::int64_t links = 0;
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        matrix.read(row, ids);
        const auto begin = std::lower_bound(ids.begin(), ids.end(), near.begin(row));
        links += std::lower_bound(begin, ids.end(), near.end(row)) - begin;
    }
    return matrix.links() == 0 ? 0
                               : static_cast<double>(links) / static_cast<double>(matrix.links());
}

std::vector<std::int64_t> row_lengths(const SparseMatrix& matrix)
{
    std::vector<std::int64_t> lengths;
    lengths.reserve(static_cast<std::size_t>(matrix.rows));
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        lengths.push_back(matrix.length(row));
    }
    return lengths;
}

} // namespace alxsim::alx
