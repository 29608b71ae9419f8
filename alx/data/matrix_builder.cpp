// SPDX-License-Identifier: Apache-2.0
#include "alx/data/matrix_builder.h"

#include "alx/data/byte_source.h"
#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace alxsim::alx {
namespace {

constexpr std::int64_t checked_every = std::int64_t{64} << 20;
constexpr std::int64_t rows_without_links = 1 << 20;
constexpr std::int64_t rows_per_link = 1024;
/// Where its list begins, while and after links are put in order; the same of columns, whose lists
/// are made of those of rows.
constexpr Bytes bytes_of_row(24);

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

RowsBuilder::RowsBuilder(const DatasetFile& file, std::string unit)
    : file_(file),
      unit_(std::move(unit))
{
}

void RowsBuilder::begin(std::int32_t row, std::int64_t number)
{
    rows_.push_back({row, number, lists_.size()});
    columns_.clear();
}

void RowsBuilder::end()
{
    if (!std::is_sorted(columns_.begin(), columns_.end())) {
        std::sort(columns_.begin(), columns_.end());
    }
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    lists_.append(columns_.data(), static_cast<std::int64_t>(columns_.size()));
    if (!columns_.empty() && columns_.back() > largest_column_) {
        largest_column_ = columns_.back();
        largest_column_number_ = rows_.back().number;
    }
}

void RowsBuilder::refuse_duplicates() const
{
    const auto same =
        std::adjacent_find(rows_.begin(), rows_.end(),
                           [](const ListedRow& a, const ListedRow& b) { return a.row == b.row; });
    if (same != rows_.end()) {
        const ListedRow& second = *(same + 1);
        throw InputError(file_.path, unit_ + " " + std::to_string(second.number),
                         "row " + std::to_string(second.row) + " already stands in " + unit_ + " " +
                             std::to_string(same->number) + ", allowed is one " + unit_ +
                             " per row");
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
    SparseMatrix matrix;
    const std::int64_t rows = rows_.empty() ? 0 : rows_.back().row + std::int64_t{1};
    if (!rows_.empty()) {
        const std::int64_t links = static_cast<std::int64_t>(rows_.size()) + lists_.total();
        refuse_empty("rows", file_, rows, links, unit_ + " " + std::to_string(rows_.back().number));
        refuse_empty("columns", file_, largest_column_ + 1, links,
                     unit_ + " " + std::to_string(largest_column_number_));
    }
    matrix.rows = static_cast<std::int32_t>(file_.rows.value_or(rows));
    matrix.columns = static_cast<std::int32_t>(file_.columns.value_or(largest_column_ + 1));
    matrix.lists = lists_by_row(matrix.rows);
    matrix.listed = std::move(in_order);
    return matrix;
}

void LinksBuilder::check_memory(std::int64_t line)
{
    checked_bytes_ = runs_.bytes() + checked_every;
    refuse_beyond_memory(Bytes(runs_.bytes()), host_memory_limit(),
                         std::to_string(runs_.links()) + " links so far", file_.path,
                         "line " + std::to_string(line));
}

SparseMatrix LinksBuilder::finish()
{
    const std::int64_t rows = largest_row_ + std::int64_t{1};
    const std::int64_t columns = largest_column_ + std::int64_t{1};
    refuse_empty("rows", file_, rows, links(), "line " + std::to_string(largest_row_line_));
    refuse_empty("columns", file_, columns, links(),
                 "line " + std::to_string(largest_column_line_));
    return finish(file_.rows.value_or(rows), file_.columns.value_or(columns));
}

SparseMatrix LinksBuilder::finish(std::int64_t rows, std::int64_t columns)
{
    SparseMatrix matrix;
    matrix.lists.reserve(rows);
    runs_.for_rows(rows, [&matrix](const std::vector<std::int32_t>& ids) { matrix.append(ids); });
    matrix.columns = static_cast<std::int32_t>(columns);
    return matrix;
}

void refuse_empty(const std::string& side, const DatasetFile& file, std::int64_t size,
                  std::int64_t links, const std::string& place)
{
    const std::optional<std::int64_t>& given = side == "rows" ? file.rows : file.columns;
    const std::int64_t most = std::max(rows_without_links, rows_per_link * links);
    if (!given && size > most) {
        throw InputError(file.path, place,
                         "found " + std::to_string(size) + " " + side +
                             ", nearly all of them empty, allowed are at most " +
                             std::to_string(most) + " here: give their number as '" + side +
                             "' if it is meant to be so");
    }
    const std::int64_t all = given.value_or(size);
    if (all > rows_without_links) {
        refuse_beyond_memory(bytes_of_row * all, host_memory_limit(),
                             std::to_string(all) + " " + side, file.path, place);
    }
}

void check_sizes(const DatasetFile& file, std::int64_t rows, std::int64_t columns)
{
    const auto check = [&](const char* kind, const std::optional<std::int64_t>& given,
                           std::int64_t found) {
        if (given && *given != found) {
            throw InputError(file.path, "",
                             "found " + std::to_string(found) + " " + kind + " in the file, but " +
                                 std::to_string(*given) +
                                 " were asked for; allowed: the same, or leave '" + kind + "' out");
        }
    };
    check("rows", file.rows, rows);
    check("columns", file.columns, columns);
}

} // namespace alxsim::alx
