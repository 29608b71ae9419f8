// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"

#include <cstdint>

namespace alxsim::model {

/// What a collective takes that has the machine to itself.
inline Picoseconds time_of(const Collective& collective, const topologies::Machine& machine)
{
    return schedule_time(make_schedule(collective, machine));
}

inline Picoseconds time_of(CollectiveKind kind, std::int64_t bytes,
                           const topologies::Machine& machine)
{
    return time_of({kind, Bytes(bytes)}, machine);
}

} // namespace alxsim::model
