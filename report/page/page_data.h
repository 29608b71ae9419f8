// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <cstddef>
#include <string>

namespace alxsim::report {

/// A page whose data are larger takes long to open.
constexpr std::size_t most_page_bytes = 7'000'000;

/// What a page needs of a report (as to_json() or a file has it), as JSON text: all but the single
/// draws. Where that is more than `most_bytes`, the details of most points are left out: schedules,
/// counters, uncertain inputs and the like. The points that a series names (fastest, cheapest,
/// sweet spot), its first and its last keep theirs; "details_left_out" says how many points lack
/// them.
std::string page_data(const Json& report, std::size_t most_bytes = most_page_bytes);

} // namespace alxsim::report
