// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/explain/row_issue.h"

#include "base/time_share.h"
#include "report/breakdown.h"

#include <algorithm>

namespace alxsim::experiments {
namespace {

using Parts = std::vector<TimePart>;

Parts::iterator part_named(Parts& parts, const std::string& name)
{
    return std::find_if(parts.begin(), parts.end(),
                        [&name](const TimePart& part) { return part.name == name; });
}

/// Takes row issue out of "hbm".
void split_memory(Parts& mechanisms, double issue_share)
{
    const auto hbm = part_named(mechanisms, name_of(Share::hbm));
    if (hbm == mechanisms.end()) {
        return;
    }
    TimePart rows{report::row_issue, {}, hbm->seconds * issue_share, hbm->share * issue_share};
    hbm->seconds *= 1 - issue_share;
    hbm->share *= 1 - issue_share;
    mechanisms.insert(hbm, std::move(rows));
    std::stable_sort(mechanisms.begin(), mechanisms.end(),
                     [](const TimePart& a, const TimePart& b) { return a.seconds > b.seconds; });
}

} // namespace

void tell_row_issue(std::vector<TimePart>& mechanisms, const MemoryTime& time)
{
    constexpr double worth_naming = 0.05; // of the rows' time
    const double issue = time.issue_seconds();
    if (issue <= 0) {
        return;
    }
    if (part_named(mechanisms, report::row_issue) == mechanisms.end()) {
        split_memory(mechanisms, time.issue_share());
    }
    const auto rows = part_named(mechanisms, report::row_issue);
    for (const auto& [key, seconds] : time.issue) {
        if (rows != mechanisms.end() && seconds > worth_naming * issue) {
            rows->by.push_back(key);
        }
    }
}

} // namespace alxsim::experiments
