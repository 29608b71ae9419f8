// SPDX-License-Identifier: Apache-2.0
#include "alx/data/split.h"

#include "alx/data/matrix_statistics.h"
#include "base/numbers/random.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace alxsim::alx {
namespace {

/// Puts a uniformly drawn subset of `count` items first, in random order (Fisher-Yates).
void draw_first(std::vector<std::int32_t>& items, std::size_t count, SplitMix64 random)
{
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(items[i], items[i + random.below(items.size() - i)]);
    }
}

SparseMatrix without_rows(const SparseMatrix& matrix, const std::vector<std::int32_t>& removed)
{
    SparseMatrix result;
    result.columns = matrix.columns;
    result.lists.reserve(matrix.rows);
    auto next_removed = removed.begin();
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (next_removed != removed.end() && *next_removed == row) {
            ++next_removed;
            result.lists.append(nullptr, 0);
        } else {
            result.lists.append(matrix.lists, row);
        }
    }
    result.rows = matrix.rows;
    std::copy_if(
        matrix.listed.begin(), matrix.listed.end(), std::back_inserter(result.listed),
        [&](std::int32_t row) { return !std::binary_search(removed.begin(), removed.end(), row); });
    return result;
}

} // namespace

std::int64_t Dataset::training_row_count() const
{
    const auto missing = [this](std::int32_t row) {
        return row < training.rows && training.length(row) == 0;
    };
    return training.rows - withheld_rows -
           std::count_if(test_rows.begin(), test_rows.end(), missing);
}

Dataset without_split(SparseMatrix matrix)
{
    Dataset data;
    data.history.columns = data.ground_truth.columns = matrix.columns;
    data.training = std::move(matrix);
    return data;
}

std::vector<std::int32_t> test_rows_of(const std::vector<std::int64_t>& lengths,
                                       const SplitConfig& config)
{
    std::vector<std::int32_t> eligible;
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        if (lengths[row] >= std::max<std::int64_t>(config.min_links, 1)) {
            eligible.push_back(static_cast<std::int32_t>(row));
        }
    }
    const auto count = static_cast<std::size_t>(
        std::llround(config.test_rows * static_cast<double>(eligible.size())));
    draw_first(eligible, count, SplitMix64(mix64(config.seed)));
    eligible.resize(count);
    std::sort(eligible.begin(), eligible.end());
    return eligible;
}

TestRowLinks test_row_links(std::int32_t rank, std::vector<std::int32_t> ids,
                            const SplitConfig& config)
{
    // A share such as 0.1 of 30 must not lose a link to the binary form of 0.1.
    const double share = config.held_out_links * static_cast<double>(ids.size()) + 1e-9;
    const auto held_out =
        std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(std::floor(share)));
    const auto key = mix64(mix64(config.seed) ^ static_cast<std::uint64_t>(rank));
    draw_first(ids, static_cast<std::size_t>(held_out), SplitMix64(key));
    std::sort(ids.begin(), ids.begin() + held_out);
    std::sort(ids.begin() + held_out, ids.end());
    return {{ids.begin() + held_out, ids.end()}, {ids.begin(), ids.begin() + held_out}};
}

Dataset split(const SparseMatrix& matrix, const SplitConfig& config)
{
    Dataset data;
    data.history.columns = data.ground_truth.columns = matrix.columns;
    data.test_rows = test_rows_of(row_lengths(matrix), config);
    std::int32_t rank = 0;
    std::int32_t before = 0;
    for (const std::int32_t row : data.test_rows) {
        for (; before < row; ++before) {
            rank += matrix.length(before) > 0 ? 1 : 0;
        }
        const TestRowLinks links = test_row_links(rank, matrix.ids(row), config);
        data.history.append(links.history);
        data.ground_truth.append(links.ground_truth);
    }
    data.training = without_rows(matrix, data.test_rows);
    return data;
}

} // namespace alxsim::alx
