// SPDX-License-Identifier: Apache-2.0
#include "alx/data/filter.h"

#include "base/input_error.h"
#include "base/numbers/random.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace alxsim::alx {
namespace {

constexpr std::int32_t gone = -1;

/// New ids of a side's old ones; `gone` for what does not stay.
struct Renaming {
    std::vector<std::int32_t> ids;
    std::int32_t count = 0;
};

Renaming renaming_of(const std::vector<bool>& stays)
{
    Renaming renaming{std::vector<std::int32_t>(stays.size(), gone), 0};
    for (std::size_t id = 0; id < stays.size(); ++id) {
        if (stays[id]) {
            renaming.ids[id] = renaming.count++;
        }
    }
    return renaming;
}

/// Keeps the links for which `keep(row, column)` holds.
template <class Keep>
void keep_links(SparseMatrix& matrix, const Keep& keep)
{
    IdLists kept;
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        matrix.read(row, ids);
        const auto goes = [&](std::int32_t column) { return !keep(row, column); };
        ids.erase(std::remove_if(ids.begin(), ids.end(), goes), ids.end());
        kept.append(ids.data(), static_cast<std::int64_t>(ids.size()));
    }
    matrix.lists = std::move(kept);
}

/// Applies ascending renamings.
SparseMatrix renamed(const SparseMatrix& matrix, const Renaming& rows, const Renaming& columns)
{
    SparseMatrix result; // `listed` are old ids
    result.columns = columns.count;
    std::vector<std::int32_t> ids;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        if (rows.ids[static_cast<std::size_t>(row)] == gone) {
            continue;
        }
        matrix.read(row, ids);
        for (std::int32_t& id : ids) {
            id = columns.ids[static_cast<std::size_t>(id)];
        }
        ids.erase(std::remove(ids.begin(), ids.end(), gone), ids.end());
        result.append(ids);
    }
    return result;
}

std::vector<bool> with_links(const std::vector<std::int64_t>& lengths, std::int64_t least)
{
    std::vector<bool> stays(lengths.size());
    for (std::size_t id = 0; id < lengths.size(); ++id) {
        stays[id] = lengths[id] >= least;
    }
    return stays;
}

/// Makes rows and columns the same nodes: as many of both.
void square(SparseMatrix& matrix)
{
    matrix.columns = std::max(matrix.rows, matrix.columns);
    while (matrix.rows < matrix.columns) {
        matrix.append({});
    }
}

/// Takes what goes out of the old ids.
void keep_ids(std::vector<std::int32_t>& old_ids, const Renaming& renaming)
{
    if (old_ids.empty()) {
        old_ids.resize(renaming.ids.size());
        std::iota(old_ids.begin(), old_ids.end(), 0);
    }
    std::size_t next = 0;
    for (std::size_t id = 0; id < renaming.ids.size(); ++id) {
        if (renaming.ids[id] != gone) {
            old_ids[next++] = old_ids[id];
        }
    }
    old_ids.resize(next);
}

/// One pass. False if all stays.
bool drop_nodes(SparseMatrix& matrix, const FilterConfig& config, bool same_nodes, KeptIds* kept)
{
    std::vector<std::int64_t> out(static_cast<std::size_t>(matrix.rows));
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        out[static_cast<std::size_t>(row)] = matrix.length(row);
    }
    std::vector<bool> rows = with_links(out, config.min_out);
    std::vector<bool> columns = with_links(column_lengths(matrix), config.min_in);
    if (same_nodes) {
        for (std::size_t node = 0; node < rows.size(); ++node) {
            rows[node] = columns[node] = rows[node] && columns[node];
        }
    }
    const Renaming new_rows = renaming_of(rows);
    const Renaming new_columns = renaming_of(columns);
    const bool all_stay = new_rows.count == matrix.rows && new_columns.count == matrix.columns;
    if (!all_stay) {
        matrix = renamed(matrix, new_rows, new_columns);
        if (kept != nullptr) {
            keep_ids(kept->rows, new_rows);
            keep_ids(kept->columns, new_columns);
        }
    }
    return !all_stay;
}

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

bool has_same_nodes(const SparseMatrix& matrix, const FilterConfig& config)
{
    return config.same_nodes.value_or(matrix.rows == matrix.columns);
}

SparseMatrix filter(SparseMatrix matrix, const FilterConfig& config, KeptIds* kept)
{
    const bool same_nodes = has_same_nodes(matrix, config);
    if (same_nodes) {
        square(matrix);
    }
    if (config.drop_self_links && !same_nodes) {
        throw InputError("found self_links 'drop' for " + std::to_string(matrix.rows) +
                         " rows and " + std::to_string(matrix.columns) +
                         " columns; allowed where rows and columns are the same nodes, that is as "
                         "many of both, or with nodes 'same'");
    }
    if (config.drop_self_links) {
        keep_links(matrix, [](std::int32_t row, std::int32_t column) { return row != column; });
    }
    for (std::int64_t pass = 0; config.drops_nodes() && pass < config.passes; ++pass) {
        if (!drop_nodes(matrix, config, same_nodes, kept)) {
            break;
        }
    }
    if (matrix.links() == 0) {
        throw InputError("no links are left after the filter; allowed are smaller minima");
    }
    return matrix;
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
