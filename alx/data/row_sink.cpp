// SPDX-License-Identifier: Apache-2.0
#include "alx/data/row_sink.h"

#include "base/input_error.h"
#include "base/memory/host_memory.h"

#include <algorithm>
#include <utility>

namespace alxsim::alx {
namespace {

/// Links of one row that are held before the first of them is looked for among the others.
constexpr std::size_t room_of_row = std::size_t{1} << 24;
constexpr std::int64_t rows_without_links = 1 << 20;
constexpr std::int64_t rows_per_link = 1024;
/// Where its list begins, while and after links are put in order; the same of columns, whose lists
/// are made of those of rows.
constexpr Bytes bytes_of_list(24);

} // namespace

RowSink::RowSink(DatasetFile file, std::string unit)
    : file_(std::move(file)),
      unit_(std::move(unit)),
      most_columns_(room_of_row)
{
}

void RowSink::set_size(std::int64_t rows, std::int64_t columns)
{
    told_ = {rows, columns, 0};
}

void RowSink::begin(std::int32_t row, std::int64_t number)
{
    open(row, number);
    ++counted_;
}

void RowSink::end()
{
    sort_columns();
    if (!columns_.empty() && columns_.back() > largest_column_) {
        largest_column_ = columns_.back();
        largest_column_number_ = number_;
    }
    counted_ += static_cast<std::int64_t>(columns_.size());
    take(row_, number_, columns_);
    columns_.clear();
}

void RowSink::flush()
{
    if (!columns_.empty()) {
        sort_columns();
        take(row_, number_, columns_);
        columns_.clear();
    }
}

void RowSink::open(std::int32_t row, std::int64_t number)
{
    row_ = row;
    number_ = number;
    columns_.clear();
    if (row > largest_row_) {
        largest_row_ = row;
        largest_row_number_ = number;
    }
}

void RowSink::sort_columns()
{
    if (!std::is_sorted(columns_.begin(), columns_.end())) {
        std::sort(columns_.begin(), columns_.end());
    }
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
}

/// A pipe may repeat a link without end, or never leave a row.
void RowSink::make_room(std::int64_t number)
{
    sort_columns();
    most_columns_ = std::max(room_of_row, 2 * columns_.size());
    refuse_beyond_memory(
        Bytes(static_cast<std::int64_t>(most_columns_ * sizeof columns_[0])), host_memory_limit(),
        std::to_string(columns_.size()) + " links of one row so far", file_.path, place(number));
}

MatrixSize RowSink::checked_size() const
{
    if (told_) {
        return *told_;
    }
    refuse_empty("rows", file_, largest_row_ + 1, counted_, place(largest_row_number_));
    refuse_empty("columns", file_, largest_column_ + 1, counted_, place(largest_column_number_));
    return {file_.rows.value_or(largest_row_ + 1), file_.columns.value_or(largest_column_ + 1), 0};
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
        refuse_beyond_memory(bytes_of_list * all, host_memory_limit(),
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
