// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/import/hlo/text/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::hlo {

/// How often the body of a while runs, and why, or why nobody knows.
struct TripCount {
    std::string loop;    ///< the name of the while
    int computation = 0; ///< where it stands
    int instruction = 0;
    std::optional<std::int64_t> count;
    std::int64_t start = 0, limit = 0, step = 0; ///< where the text says the count
    bool given = false;                          ///< by name
    std::string problem;                         ///< where there is no count
};

/// Trip counts that are given by the names of loops, with or without "%".
using GivenTrips = std::map<std::string, std::int64_t>;

/// Finds those of every while of the module: ceil((limit - start) / step). The limit is what the
/// condition compares the counter with (a constant, or what the loop does not change), the step
/// what the body's root adds to it, the start what enters; all through fusions, copies, tuples and
/// loops around it. Else what backend_config says as known_trip_count. What cannot be found has no
/// count but a problem. Throws InputError for given names that no loop has and counts that are
/// negative.
std::vector<TripCount> trip_counts(const Module& module, const GivenTrips& given = {});

} // namespace alxsim::hlo
