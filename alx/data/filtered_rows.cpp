// SPDX-License-Identifier: Apache-2.0
#include "alx/data/filtered_rows.h"

#include "base/input_error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace alxsim::alx {
namespace {

/// Keeps, of those that stay, the ones with enough links.
std::vector<bool> with_links(std::vector<bool> stays, const std::vector<std::int64_t>& lengths,
                             std::int64_t least)
{
    for (std::size_t id = 0; id < stays.size(); ++id) {
        stays[id] = stays[id] && lengths[id] >= least;
    }
    return stays;
}

/// The ids of those that stay.
std::vector<std::int32_t> ids_of(const std::vector<bool>& stays)
{
    std::vector<std::int32_t> ids;
    for (std::size_t id = 0; id < stays.size(); ++id) {
        if (stays[id]) {
            ids.push_back(static_cast<std::int32_t>(id));
        }
    }
    return ids;
}

std::int64_t count_of(const std::vector<bool>& stays)
{
    return std::count(stays.begin(), stays.end(), true);
}

} // namespace

bool has_same_nodes(const MatrixSize& size, const FilterConfig& config)
{
    if (config.same_nodes || size.rows != size.columns || config.drop_self_links) {
        return config.same_nodes.value_or(size.rows == size.columns);
    }
    throw InputError("found " + std::to_string(size.rows) +
                     " rows and as many columns, and neither study nor file says whether they are "
                     "the same nodes; allowed: nodes 'same', where a node stays only with links "
                     "both ways and has one id, or nodes 'separate'");
}

FilteredRows::FilteredRows(const MatrixSize& size, EachRow rows, const FilterConfig& config)
    : all_rows_(std::move(rows)),
      config_(config),
      same_nodes_((config.drops_nodes() || config.drop_self_links) && has_same_nodes(size, config))
{
    if (config.drop_self_links && !same_nodes_) {
        throw InputError("found self_links 'drop' for " + std::to_string(size.rows) + " rows and " +
                         std::to_string(size.columns) +
                         " columns; allowed where rows and columns are the same nodes, that is as "
                         "many of both, or with nodes 'same'");
    }
    const std::int64_t nodes = std::max(size.rows, size.columns);
    rows_.assign(static_cast<std::size_t>(same_nodes_ ? nodes : size.rows), true);
    columns_.assign(static_cast<std::size_t>(same_nodes_ ? nodes : size.columns), true);
    Lengths lengths = count();
    for (std::int64_t pass = 0; config.drops_nodes() && pass < config.passes; ++pass) {
        if (!drop_nodes(lengths)) {
            break;
        }
        lengths = count();
    }
    if (links_ == 0) {
        throw InputError("no links are left after the filter; allowed are smaller minima");
    }
}

MatrixSize FilteredRows::size() const
{
    return {count_of(rows_), count_of(columns_), links_};
}

bool FilteredRows::keeps_all_nodes() const
{
    return std::find(rows_.begin(), rows_.end(), false) == rows_.end() &&
           std::find(columns_.begin(), columns_.end(), false) == columns_.end();
}

KeptIds FilteredRows::kept_ids() const
{
    return keeps_all_nodes() ? KeptIds() : KeptIds{ids_of(rows_), ids_of(columns_)};
}

void FilteredRows::for_each(const TakeRow& row) const
{
    std::vector<std::int32_t> new_ids(columns_.size());
    std::int32_t next = 0;
    for (const std::int32_t column : ids_of(columns_)) {
        new_ids[static_cast<std::size_t>(column)] = next++;
    }
    for_each_left([&](std::size_t /*id*/, std::vector<std::int32_t>& ids) {
        for (std::int32_t& id : ids) {
            id = new_ids[static_cast<std::size_t>(id)];
        }
        row(ids);
    });
}

void FilteredRows::for_each_left(
    const std::function<void(std::size_t id, std::vector<std::int32_t>& ids)>& row) const
{
    std::size_t id = 0;
    std::vector<std::int32_t> left;
    const TakeRow take = [&](const std::vector<std::int32_t>& ids) {
        const auto stays = [&](std::int32_t column) {
            const auto at = static_cast<std::size_t>(column);
            return columns_[at] && !(config_.drop_self_links && at == id);
        };
        if (rows_[id]) {
            left.clear();
            std::copy_if(ids.begin(), ids.end(), std::back_inserter(left), stays);
            row(id, left);
        }
        ++id;
    };
    all_rows_(take);
    while (id < rows_.size()) { // nodes that are columns alone
        take({});
    }
}

FilteredRows::Lengths FilteredRows::count()
{
    Lengths lengths{std::vector<std::int64_t>(rows_.size()),
                    std::vector<std::int64_t>(columns_.size())};
    links_ = 0;
    for_each_left([&](std::size_t id, const std::vector<std::int32_t>& ids) {
        lengths.rows[id] = static_cast<std::int64_t>(ids.size());
        links_ += lengths.rows[id];
        for (const std::int32_t column : ids) {
            ++lengths.columns[static_cast<std::size_t>(column)];
        }
    });
    return lengths;
}

bool FilteredRows::drop_nodes(const Lengths& lengths)
{
    const std::int64_t before = count_of(rows_) + count_of(columns_);
    rows_ = with_links(rows_, lengths.rows, config_.min_out);
    columns_ = with_links(columns_, lengths.columns, config_.min_in);
    if (same_nodes_) {
        for (std::size_t node = 0; node < rows_.size(); ++node) {
            rows_[node] = columns_[node] = rows_[node] && columns_[node];
        }
    }
    return count_of(rows_) + count_of(columns_) < before;
}

} // namespace alxsim::alx
