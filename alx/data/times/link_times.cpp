// SPDX-License-Identifier: Apache-2.0
#include "alx/data/times/link_times.h"

#include "base/input_error.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace alxsim::alx {
namespace {

struct TimedLink {
    std::int32_t row;
    std::int32_t column;
    double time;
    std::int64_t place;

    bool operator<(const TimedLink& other) const
    {
        return std::tie(row, column, time, place) <
               std::tie(other.row, other.column, other.time, other.place);
    }
};

bool can_be_read_again(const DatasetFile& file)
{
    return std::filesystem::is_regular_file(file.path);
}

/// The new id of one in the file; -1 where a filter dropped it.
std::int32_t new_id(const std::vector<std::int32_t>& kept, std::int32_t id)
{
    if (kept.empty()) {
        return id;
    }
    const auto place = std::lower_bound(kept.begin(), kept.end(), id);
    return place != kept.end() && *place == id ? static_cast<std::int32_t>(place - kept.begin())
                                               : -1;
}

std::vector<TimedLink> sorted_links(const DatasetFile& file, const KeptIds& kept)
{
    std::vector<TimedLink> links;
    std::int64_t place = 0;
    reader_of(file)->read_times(file, [&](std::int32_t row, std::int32_t column, double time) {
        const TimedLink link{new_id(kept.rows, row), new_id(kept.columns, column), time, place++};
        if (link.row >= 0 && link.column >= 0) {
            links.push_back(link);
        }
    });
    std::sort(links.begin(), links.end());
    return links;
}

} // namespace

LinkTimes link_times(const DatasetFile& file, const SparseMatrix& matrix, const KeptIds& kept)
{
    if (!can_be_read_again(file)) {
        throw InputError(file.path, "",
                         "is no regular file, and times are read after the links; "
                         "allowed: a file");
    }
    const std::vector<TimedLink> links = sorted_links(file, kept);
    LinkTimes times;
    times.reserve(static_cast<std::size_t>(matrix.links()));
    auto next = links.begin();
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (const std::int32_t column : matrix.ids(row)) {
            // Links that a filter dropped between nodes that stay come before it.
            const auto is_same = [row, column](const TimedLink& link) {
                return link.row == row && link.column == column;
            };
            next = std::find_if(next, links.end(), is_same);
            if (next == links.end()) {
                throw InputError(file.path, "", "has been written over while it was read");
            }
            const auto first = next;
            next = std::find_if_not(next, links.end(), is_same);
            times.emplace_back(first->time, first->place, next - first - 1);
        }
    }
    return times;
}

bool tells_link_times(const DatasetFile& file)
{
    return can_be_read_again(file) && reader_of(file)->tells_times(file);
}

} // namespace alxsim::alx
