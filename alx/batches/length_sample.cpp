// SPDX-License-Identifier: Apache-2.0
#include "alx/batches/length_sample.h"

#include "alx/batches/dense_batches.h"

#include <algorithm>

namespace alxsim::alx {
namespace {

/// Rows that are really batched; the count's error is far below that of the assumed lengths.
constexpr std::int64_t sample_rows = 100000;

std::vector<std::pair<std::int64_t, std::int64_t>> counted(std::vector<std::int64_t> lengths)
{
    if (!std::is_sorted(lengths.begin(), lengths.end())) { // rounding alone is out of order
        std::sort(lengths.begin(), lengths.end());
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> rows_of_length;
    for (const std::int64_t length : lengths) {
        if (rows_of_length.empty() || rows_of_length.back().first != length) {
            rows_of_length.emplace_back(length, 0);
        }
        ++rows_of_length.back().second;
    }
    return rows_of_length;
}

} // namespace

LengthSample::LengthSample(const DegreeDistribution& distribution, std::int64_t side_rows)
    : distribution_(distribution),
      rows_(std::min(side_rows, sample_rows)),
      rows_of_length_(counted(distribution.quantile_means(rows_))),
      rows_below_{0},
      links_below_{0}
{
    for (const auto& [length, rows] : rows_of_length_) {
        rows_below_.push_back(rows_below_.back() + rows);
        links_below_.push_back(links_below_.back() + rows * length);
    }
}

std::shared_ptr<const std::vector<std::int64_t>> LengthSample::lengths(std::uint64_t seed) const
{
    return lengths_.get(seed, [&] {
        return std::make_shared<const std::vector<std::int64_t>>(distribution_.sample(rows_, seed));
    });
}

std::shared_ptr<const LengthSample::Sums> LengthSample::lines_of(std::int64_t line_length,
                                                                 Admission admission) const
{
    return lines_below_.get({line_length, admission}, [&] {
        const BatchPacker packer({1, line_length, 1}, admission);
        auto sums = std::make_shared<Sums>(Sums{0});
        for (const auto& [length, rows] : rows_of_length_) {
            sums->push_back(sums->back() + packer.lines_needed(length) * rows);
        }
        return sums;
    });
}

KeptLengths LengthSample::kept(std::int64_t capacity, std::int64_t line_length,
                               Admission admission) const
{
    const auto first_cut =
        std::upper_bound(rows_of_length_.begin(), rows_of_length_.end(), capacity,
                         [](std::int64_t most, const auto& row) { return most < row.first; });
    const auto whole = static_cast<std::size_t>(first_cut - rows_of_length_.begin());
    const std::int64_t cut = rows_ - rows_below_[whole];
    const BatchPacker packer({1, line_length, 1}, admission);
    const std::int64_t lines =
        (*lines_of(line_length, admission))[whole] + packer.lines_needed(capacity) * cut;
    const std::int64_t links = links_below_[whole] + capacity * cut;
    return {static_cast<double>(lines) / static_cast<double>(rows_),
            static_cast<double>(links) / static_cast<double>(links_below_.back())};
}

} // namespace alxsim::alx
