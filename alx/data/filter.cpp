// SPDX-License-Identifier: Apache-2.0
#include "alx/data/filter.h"

#include "base/numbers/random.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace alxsim::alx {
namespace {

/// Fisher-Yates.
std::vector<std::int32_t> random_order(std::int32_t count, std::uint64_t key)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    SplitMix64 random(key);
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[random.below(i)]);
    }
    return order;
}

} // namespace

SparseMatrix filter(SparseMatrix matrix, const FilterConfig& config, KeptIds* kept)
{
    const FilteredRows left(
        size_of(matrix), [&matrix](const TakeRow& row) { for_each_row(matrix, row); }, config);
    const MatrixSize size = left.size();
    if (size.rows == matrix.rows && size.columns == matrix.columns &&
        size.links == matrix.links()) {
        return matrix;
    }
    SparseMatrix result;
    result.columns = static_cast<std::int32_t>(size.columns);
    result.lists.reserve(size.rows);
    left.for_each([&result](const std::vector<std::int32_t>& ids) { result.append(ids); });
    if (left.keeps_all_nodes()) {
        result.listed = std::move(matrix.listed); // else these are old ids
    }
    if (kept != nullptr) {
        *kept = left.kept_ids();
    }
    return result;
}

SparseMatrix permute(const SparseMatrix& matrix, bool same_nodes, std::uint64_t seed)
{
    // order[new id] = old id
    const std::vector<std::int32_t> rows = random_order(matrix.rows, mix64(seed));
    const std::vector<std::int32_t> columns =
        same_nodes ? rows : random_order(matrix.columns, mix64(~seed));
    std::vector<std::int32_t> new_columns(columns.size());
    for (std::size_t id = 0; id < columns.size(); ++id) {
        new_columns[static_cast<std::size_t>(columns[id])] = static_cast<std::int32_t>(id);
    }
    SparseMatrix result;
    result.columns = matrix.columns;
    result.lists.reserve(matrix.rows);
    std::vector<std::int32_t> ids;
    for (const std::int32_t old : rows) {
        matrix.read(old, ids);
        for (std::int32_t& id : ids) {
            id = new_columns[static_cast<std::size_t>(id)];
        }
        std::sort(ids.begin(), ids.end());
        result.append(ids);
    }
    return result;
}

} // namespace alxsim::alx
