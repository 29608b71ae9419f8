// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective.h"
#include "model/collectives/replays/schedule_replay.h"

#include <array>
#include <optional>
#include <vector>

namespace alxsim::model {

/// A collective whose members are all ready at once, where all chips are alike and nothing disturbs
/// it: what one chip does, all do.
struct EvenCollective {
    std::vector<Picoseconds> done;              ///< [device of a chip]
    std::vector<std::array<AxisLoad, 2>> loads; ///< [network axis][direction]: of a chip
};

/// Whether all chips do the same if their members are ready alike: not along lines, from or to a
/// root, on twisted tori, between slices, among ranks, for messages of their own.
bool has_chips_alike(const CollectiveSchedule& schedule);

/// The same picoseconds as packet by packet, on links at the rates of the schedule's axes whose
/// buffers keep them full. Nothing where chips are not alike: along lines, from or to a root, on
/// twisted tori, between slices, among ranks, for messages of their own.
std::optional<EvenCollective> even_collective(const CollectiveSchedule& schedule);

} // namespace alxsim::model
