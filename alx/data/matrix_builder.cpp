// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"

#include "alx/files/line_reader.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::int64_t checked_every = std::int64_t{64} << 20;

} // namespace

IdParser::IdParser(std::string path, std::string kind, std::int64_t first,
                   const std::optional<std::int64_t>& size)
    : path_(std::move(path)),
      kind_(std::move(kind)),
      first_(first),
      last_(size ? std::min(*size - 1 + first, largest_id) : largest_id)
{
}

namespace {

bool is_word(std::string_view token)
{
    return std::any_of(token.begin(), token.end(), [](char letter) {
        return std::isalpha(static_cast<unsigned char>(letter));
    });
}

} // namespace

void IdParser::refuse(std::string_view token, const std::string& place) const
{
    throw InputError(path_, place,
                     "found " + shown(token) + " as a " + kind_ +
                         " id, allowed are whole numbers from " + std::to_string(first_) + " to " +
                         std::to_string(last_) +
                         (is_word(token) ? "; 'alxsim dataset names' makes numbers of names" : ""));
}

void RowsBuilder::take(std::int32_t row, std::int64_t number,
                       const std::vector<std::int32_t>& columns)
{
    rows_.push_back({row, number, lists_.size()});
    lists_.append(columns.data(), static_cast<std::int64_t>(columns.size()));
}

void RowsBuilder::refuse_duplicates() const
{
    const auto same =
        std::adjacent_find(rows_.begin(), rows_.end(),
                           [](const ListedRow& a, const ListedRow& b) { return a.row == b.row; });
    if (same != rows_.end()) {
        const ListedRow& second = *(same + 1);
        throw InputError(file().path, place(second.number),
                         "row " + std::to_string(second.row) + " already stands in " +
                             place(same->number) + ", allowed is one " + unit() + " per row" +
                             (unit() == "line" ? "; of lines 'user item ..' the format is 'edges', "
                                                 "or 'movielens' with ids from 1"
                                               : ""));
    }
}

IdLists RowsBuilder::lists_by_row(std::int32_t rows)
{
    const bool as_they_are =
        static_cast<std::int64_t>(rows_.size()) == rows &&
        std::is_sorted(rows_.begin(), rows_.end(),
                       [](const ListedRow& a, const ListedRow& b) { return a.list < b.list; });
    if (as_they_are) {
        return std::move(lists_);
    }
    IdLists lists;
    lists.reserve(rows);
    for (const ListedRow& listed : rows_) {
        while (lists.size() < listed.row) {
            lists.append(nullptr, 0);
        }
        lists.append(lists_, listed.list);
    }
    while (lists.size() < rows) {
        lists.append(nullptr, 0);
    }
    return lists;
}

std::vector<std::int32_t> RowsBuilder::rows_in_order() const
{
    const auto before = [](const ListedRow& a, const ListedRow& b) { return a.row < b.row; };
    const auto is_empty = [this](const ListedRow& row) { return lists_.length(row.list) == 0; };
    std::vector<std::int32_t> rows;
    if (!std::is_sorted(rows_.begin(), rows_.end(), before) ||
        std::any_of(rows_.begin(), rows_.end(), is_empty)) {
        std::transform(rows_.begin(), rows_.end(), std::back_inserter(rows),
                       [](const ListedRow& row) { return row.row; });
    }
    return rows;
}

SparseMatrix RowsBuilder::finish()
{
    std::vector<std::int32_t> in_order = rows_in_order();
    // Stable, so that of two equal rows the one further down is reported.
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const ListedRow& a, const ListedRow& b) { return a.row < b.row; });
    refuse_duplicates();
    const MatrixSize size = checked_size();
    SparseMatrix matrix;
    matrix.rows = static_cast<std::int32_t>(size.rows);
    matrix.columns = static_cast<std::int32_t>(size.columns);
    matrix.lists = lists_by_row(matrix.rows);
    matrix.listed = std::move(in_order);
    return matrix;
}

void LinksBuilder::take(std::int32_t row, std::int64_t number,
                        const std::vector<std::int32_t>& columns)
{
    for (const std::int32_t column : columns) {
        runs_.add(row, column);
    }
    if (runs_.bytes() > checked_bytes_) {
        check_memory(number);
    }
}

void LinksBuilder::check_memory(std::int64_t line)
{
    checked_bytes_ = runs_.bytes() + checked_every;
    refuse_beyond_memory(Bytes(runs_.bytes()), host_memory_limit(),
                         std::to_string(runs_.links()) + " links so far", file().path, place(line));
}

SparseMatrix LinksBuilder::finish()
{
    flush();
    const MatrixSize size = checked_size();
    SparseMatrix matrix;
    matrix.lists.reserve(size.rows);
    runs_.for_rows(size.rows,
                   [&matrix](const std::vector<std::int32_t>& ids) { matrix.append(ids); });
    matrix.columns = static_cast<std::int32_t>(size.columns);
    return matrix;
}

void OrderedBuilder::set_size(std::int64_t rows, std::int64_t columns)
{
    // Where the file is compressed, a damaged size may still ask for too much.
    constexpr std::int64_t most_reserved = 1 << 28;
    matrix_.lists.reserve(std::min(rows, most_reserved));
    matrix_.columns = static_cast<std::int32_t>(columns);
}

void OrderedBuilder::take(std::int32_t /*row*/, std::int64_t /*number*/,
                          const std::vector<std::int32_t>& columns)
{
    matrix_.append(columns);
}

} // namespace alxsim::alx
