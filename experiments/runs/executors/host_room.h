// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "experiments/points/study/study.h"
#include "report/report.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// From now on this process and its children go by `memory` ("8G") as what this host has for them;
/// "": by what is available. Throws InputError for what is no size.
void limit_host_memory(const std::string& memory);

/// How many points may run at once on this host, by what each is predicted to keep in its memory,
/// and by what finished ones kept.
class HostRoom {
public:
    /// Makes room for `jobs` processes. `largest`: what a point keeps at most; `limit`: what the
    /// host has.
    HostRoom(int jobs, Bytes largest, Bytes limit) : jobs_(jobs), largest_(largest), limit_(limit)
    {
    }

    int points_at_once() const;
    /// One line about it; "" where points are small.
    std::string in_words() const;
    /// A point is finished. Says whether it kept so much more than predicted that fewer may run at
    /// once from now on.
    bool learn(const report::HostUse& use);

private:
    int jobs_;
    Bytes largest_;
    Bytes limit_;
    double factor_ = 1; ///< of what was kept over what was predicted, the largest so far
};

/// By what is predicted before data are read. Throws InputError for a point that is refused
/// already.
HostRoom host_room(const std::vector<PointSpec>& points, int jobs);

} // namespace alxsim::experiments
