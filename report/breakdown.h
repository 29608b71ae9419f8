// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_fields.h"
#include "base/schema/field_words.h"
#include "base/time_share.h"

#include <array>
#include <string>

namespace alxsim::report {

/// Seconds of an interval, split twice: by phase (what the algorithm was doing) and by share (what
/// held it up). Each split adds up to `seconds`.
struct Breakdown {
    double seconds = 0;
    Named<double> phases;
    std::array<double, share_count> shares{};

    /// 0 of a phase that it does not have.
    double phase(const std::string& name) const;
    double& share(Share which) { return shares[static_cast<std::size_t>(which)]; }
    double share(Share which) const { return shares[static_cast<std::size_t>(which)]; }
};

/// The name under which a report has a share: "communication_seconds".
inline std::string field_of(Share share)
{
    return std::string(name_of(share)) + "_seconds";
}

/// Its splits; the whole is a field of its owner.
template <class Fields>
void list_fields(Fields& fields, Breakdown& breakdown)
{
    fields("phases", breakdown.phases, limits::amount);
    for (const Share share : all_shares) {
        if (share == Share::waiting) {
            fields.newer(field_of(share).c_str(), breakdown.share(share),
                         "What the slowest device of a step works longer than the median one.",
                         limits::amount);
        } else {
            fields(field_of(share).c_str(), breakdown.share(share), limits::amount);
        }
    }
}

} // namespace alxsim::report
