// SPDX-License-Identifier: Apache-2.0
#include "alx/data/linked_ids.h"

#include "alx/data/matrix_statistics.h"
#include "base/work/stop.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace alxsim::alx {
namespace {

bool all_of(const std::vector<bool>& linked)
{
    return std::find(linked.begin(), linked.end(), false) == linked.end();
}

void mark(std::vector<bool>& linked, const std::vector<std::int64_t>& lengths)
{
    for (std::size_t id = 0; id < lengths.size(); ++id) {
        linked[id] = linked[id] || lengths[id] > 0;
    }
}

/// Ids whose mark is `value`, ascending.
std::vector<std::int32_t> ids_of(const std::vector<bool>& linked, bool value)
{
    std::vector<std::int32_t> ids;
    for (std::size_t id = 0; id < linked.size(); ++id) {
        if (linked[id] == value) {
            ids.push_back(static_cast<std::int32_t>(id));
        }
    }
    return ids;
}

/// The new id of each old one that stays.
std::vector<std::int32_t> ranks_of(const std::vector<bool>& linked)
{
    std::vector<std::int32_t> ranks(linked.size());
    std::int32_t next = 0;
    for (std::size_t id = 0; id < linked.size(); ++id) {
        ranks[id] = linked[id] ? next++ : -1;
    }
    return ranks;
}

/// The columns of every row under their new ids.
SparseMatrix with_columns(const SparseMatrix& matrix, const std::vector<bool>& linked)
{
    const std::vector<std::int32_t> ranks = ranks_of(linked);
    SparseMatrix result;
    result.columns = static_cast<std::int32_t>(std::count(linked.begin(), linked.end(), true));
    result.lists.reserve(matrix.rows);
    std::vector<std::int32_t> ids;
    StopLook stop;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        stop();
        matrix.read(row, ids);
        for (std::int32_t& id : ids) {
            id = ranks[static_cast<std::size_t>(id)];
        }
        result.append(ids);
    }
    return result;
}

/// The columns of every row under their new ids; of those that are not linked, behind all others.
SparseMatrix with_new_columns_last(const SparseMatrix& matrix, const std::vector<bool>& linked)
{
    std::vector<std::int32_t> ranks = ranks_of(linked);
    auto next = static_cast<std::int32_t>(std::count(linked.begin(), linked.end(), true));
    for (std::int32_t& rank : ranks) {
        rank = rank < 0 ? next++ : rank;
    }
    SparseMatrix result;
    result.columns = matrix.columns;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        std::vector<std::int32_t> ids = matrix.ids(row);
        for (std::int32_t& id : ids) {
            id = ranks[static_cast<std::size_t>(id)];
        }
        std::sort(ids.begin(), ids.end());
        result.append(ids);
    }
    return result;
}

/// Those of the rows that are linked, as they are.
SparseMatrix with_rows(const SparseMatrix& matrix, const std::vector<bool>& linked)
{
    SparseMatrix result;
    result.columns = matrix.columns;
    StopLook stop;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        stop();
        if (linked[static_cast<std::size_t>(row)]) {
            result.lists.append(matrix.lists, row);
            ++result.rows;
        }
    }
    return result;
}

SparseMatrix only(SparseMatrix matrix, const LinkedIds& linked)
{
    matrix.listed.clear();
    if (!all_of(linked.columns)) {
        matrix = with_columns(matrix, linked.columns);
    }
    return all_of(linked.rows) ? std::move(matrix) : with_rows(matrix, linked.rows);
}

KeptIds kept_ids(const LinkedIds& linked)
{
    KeptIds kept;
    if (!all_of(linked.rows)) {
        kept.rows = ids_of(linked.rows, true);
    }
    if (!all_of(linked.columns)) {
        kept.columns = ids_of(linked.columns, true);
    }
    return kept;
}

std::vector<std::int32_t> composed(const std::vector<std::int32_t>& before,
                                   std::vector<std::int32_t> kept)
{
    if (before.empty() || kept.empty()) {
        return kept.empty() ? before : kept;
    }
    for (std::int32_t& id : kept) {
        id = before[static_cast<std::size_t>(id)];
    }
    return kept;
}

} // namespace

LinkedIds linked_ids(const SparseMatrix& matrix)
{
    LinkedIds linked{std::vector<bool>(static_cast<std::size_t>(matrix.rows)),
                     std::vector<bool>(static_cast<std::size_t>(matrix.columns))};
    mark(linked.rows, row_lengths(matrix));
    mark(linked.columns, column_lengths(matrix));
    return linked;
}

LinkedIds linked_ids(const Dataset& data)
{
    LinkedIds linked = linked_ids(data.training);
    for (const std::int32_t row : data.test_rows) {
        const auto id = static_cast<std::size_t>(row);
        linked.rows.resize(std::max(linked.rows.size(), id + 1));
        linked.rows[id] = true;
    }
    mark(linked.columns, column_lengths(data.history));
    mark(linked.columns, column_lengths(data.ground_truth));
    return linked;
}

SparseMatrix only_linked(SparseMatrix matrix, KeptIds& kept)
{
    const LinkedIds linked = linked_ids(matrix);
    kept = kept_ids(linked);
    return only(std::move(matrix), linked);
}

Dataset only_linked(Dataset data)
{
    const LinkedIds linked = linked_ids(data);
    const std::vector<std::int32_t> ranks = ranks_of(linked.rows);
    LinkedIds of_training = linked;
    of_training.rows.resize(static_cast<std::size_t>(data.training.rows));
    data.training = only(std::move(data.training), of_training);
    const auto rows = std::count(linked.rows.begin(), linked.rows.end(), true);
    while (data.training.rows < rows) { // test rows behind its last one
        data.training.append({});
    }
    const auto part = [&linked](SparseMatrix matrix) {
        return all_of(linked.columns) ? std::move(matrix) : with_columns(matrix, linked.columns);
    };
    data.history = part(std::move(data.history));
    data.ground_truth = part(std::move(data.ground_truth));
    for (std::int32_t& row : data.test_rows) {
        row = ranks[static_cast<std::size_t>(row)];
    }
    data.source_ids = composed(data.source_ids, kept_ids(linked));
    return data;
}

Dataset only_trained(Dataset data)
{
    const LinkedIds trained = linked_ids(data.training);
    const std::vector<std::int32_t> row_ranks = ranks_of(trained.rows);
    data.training = only(std::move(data.training), trained);
    if (!all_of(trained.columns)) {
        data.history = with_columns(data.history, trained.columns);
        data.ground_truth = with_new_columns_last(data.ground_truth, trained.columns);
    }
    for (std::int32_t& row : data.test_rows) {
        row = row_ranks[static_cast<std::size_t>(row)];
    }
    data.withheld_rows = 0;
    data.source_ids = composed(data.source_ids, kept_ids(trained));
    return data;
}

UnlinkedIds unlinked_ids(const LinkedIds& linked)
{
    return {ids_of(linked.rows, false), ids_of(linked.columns, false)};
}

KeptIds composed(const KeptIds& before, KeptIds kept)
{
    return {composed(before.rows, std::move(kept.rows)),
            composed(before.columns, std::move(kept.columns))};
}

} // namespace alxsim::alx
