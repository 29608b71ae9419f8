// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"
#include "report/compact/compact_points.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace alxsim::report {

/// A page whose data are larger takes long to open.
constexpr std::size_t most_page_bytes = 7'000'000;

/// What a page needs of a report, as JSON text: all but the single draws. Where that is more than
/// `most_bytes`, points stand in columns. Where that is too much as well, the details of most
/// points are left out: schedules, counters, uncertain inputs and the like. The points that a
/// series names (fastest, cheapest, sweet spot), its first and its last keep theirs, in
/// "detailed_points" by their numbers; "details_left_out" says how many points lack them.
class PageData {
public:
    /// `rest`: the report without points; `compact`: gets its points, and outlives this.
    PageData(const Json& rest, const CompactPoints& compact,
             std::size_t most_bytes = most_page_bytes);

    /// A point as a report has it.
    void add(const Json& point);

    /// Once `compact` has all of them, too.
    std::string text() const;

private:
    bool is_named(const Json& point) const;

    const Json& rest_;
    const CompactPoints& compact_;
    std::size_t most_bytes_;
    std::set<std::size_t> named_;                     ///< numbers of points
    std::map<std::string, std::int64_t> sweet_spots_; ///< cores, by the names of series
    std::size_t points_ = 0;
    std::optional<std::string> all_ = "["; ///< nothing: too large
    std::map<std::size_t, std::string> detailed_;
};

/// The same of a whole report.
std::string page_data(const Json& report, std::size_t most_bytes = most_page_bytes);

} // namespace alxsim::report
