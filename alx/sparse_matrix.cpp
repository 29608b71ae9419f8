// SPDX-License-Identifier: Apache-2.0
#include "alx/sparse_matrix.h"

#include "base/work/stop.h"

#include <algorithm>
#include <numeric>

namespace alxsim::alx {

namespace {

/// Links of columns that are transposed together.
constexpr std::int64_t fewest_links_at_once = 1 << 22;

/// Appends the transposed columns [first, last), whose numbers of links are given.
void append_columns(const SparseMatrix& matrix, std::int32_t first, std::int32_t last,
                    const std::vector<std::int64_t>& lengths, SparseMatrix& transposed)
{
    const auto at = [](std::int64_t id) { return static_cast<std::size_t>(id); };
    std::vector<std::int64_t> next(at(last - first) + 1, 0);
    std::partial_sum(lengths.begin() + first, lengths.begin() + last, next.begin() + 1);
    std::vector<std::int32_t> rows(at(next.back()));
    std::vector<std::int32_t> ids;
    StopLook stop;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        stop();
        matrix.read(row, ids);
        for (auto id = std::lower_bound(ids.begin(), ids.end(), first);
             id != ids.end() && *id < last; ++id) {
            rows[at(next[at(*id - first)]++)] = row;
        }
    }
    const std::int32_t* begin = rows.data();
    for (std::int32_t column = first; column < last; ++column) {
        transposed.lists.append(begin, lengths[at(column)]);
        begin += lengths[at(column)];
    }
}

/// Returns the weights of the transposed matrix, whose rows' lengths are given.
std::shared_ptr<const LinkWeights> transposed_weights(const SparseMatrix& matrix,
                                                      const std::vector<std::int64_t>& lengths)
{
    auto result = std::make_shared<LinkWeights>();
    result->begins.resize(lengths.size() + 1);
    std::partial_sum(lengths.begin(), lengths.end(), result->begins.begin() + 1);
    result->values.resize(static_cast<std::size_t>(result->begins.back()));
    std::vector<std::int64_t> next(result->begins.begin(), result->begins.end() - 1);
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        matrix.read(row, ids);
        const float* weight = matrix.weights_of(row);
        for (const std::int32_t id : ids) {
            const std::int64_t place = next[static_cast<std::size_t>(id)]++;
            result->values[static_cast<std::size_t>(place)] = *weight++;
        }
    }
    return result;
}

/// Those of a row's first links.
std::shared_ptr<const LinkWeights> first_weights(const SparseMatrix& matrix, std::int64_t longest)
{
    auto result = std::make_shared<LinkWeights>();
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const float* const begin = matrix.weights_of(row);
        result->values.insert(result->values.end(), begin,
                              begin + std::min(longest, matrix.length(row)));
        result->end_row();
    }
    return result;
}

} // namespace

double SparseMatrix::weight(std::int32_t row) const
{
    const std::int64_t count = length(row);
    const float* const begin = weights_of(row);
    return begin == nullptr ? static_cast<double>(count)
                            : std::accumulate(begin, begin + count, 0.0);
}

SparseMatrix transpose(const SparseMatrix& matrix)
{
    const std::vector<std::int64_t> lengths = column_lengths(matrix);
    const std::int64_t most = std::max(fewest_links_at_once, matrix.links() / 8);
    SparseMatrix result{matrix.columns, matrix.rows};
    result.lists.reserve(matrix.columns);
    std::int32_t last = 0;
    for (std::int32_t first = 0; first < matrix.columns; first = last) {
        std::int64_t links = 0;
        while (last < matrix.columns && (last == first || links < most)) {
            links += lengths[static_cast<std::size_t>(last++)];
        }
        append_columns(matrix, first, last, lengths, result);
    }
    if (matrix.weights) {
        result.weights = transposed_weights(matrix, lengths);
    }
    return result;
}

SparseMatrix first_links(const SparseMatrix& matrix, std::int64_t longest)
{
    SparseMatrix result{matrix.rows, matrix.columns, {}, matrix.listed};
    result.lists.reserve(matrix.rows);
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (matrix.length(row) <= longest) {
            result.lists.append(matrix.lists, row);
        } else {
            matrix.read(row, ids);
            result.lists.append(ids.data(), longest);
        }
    }
    if (matrix.weights) {
        result.weights = first_weights(matrix, longest);
    }
    return result;
}

std::vector<std::int64_t> column_lengths(const SparseMatrix& matrix)
{
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(matrix.columns), 0);
    std::vector<std::int32_t> ids;
    StopLook stop;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        stop();
        matrix.read(row, ids);
        for (const std::int32_t column : ids) {
            ++lengths[static_cast<std::size_t>(column)];
        }
    }
    return lengths;
}

std::vector<std::int32_t> linked_rows(const SparseMatrix& matrix)
{
    std::vector<std::int32_t> rows;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (matrix.length(row) > 0) {
            rows.push_back(row);
        }
    }
    return rows;
}

std::vector<std::int32_t> example_rows(const SparseMatrix& matrix)
{
    return matrix.listed.empty() ? linked_rows(matrix) : matrix.listed;
}

} // namespace alxsim::alx
