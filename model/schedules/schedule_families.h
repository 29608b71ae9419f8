// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/collectives/collective_group.h"

#include <optional>
#include <vector>

namespace alxsim::model {

/// A collective that wants schedules. Its axes are those of the network.
struct ScheduleRequest {
    const Collective& collective;
    const topologies::Machine& machine;
    std::optional<CollectiveGroup> group; ///< none for lists of ranks that are no boxes
    /// closed_form_time() alone decides: a family may leave out what another of its own excels.
    bool by_closed_form = false;

    /// Whether its messages go by themselves: messages of its own, an all-to-all on a twisted torus
    /// or one whose op asks for it.
    bool is_routed() const;
};

/// One way to build schedules.
struct ScheduleFamily {
    const char* name;
    bool (*applies)(const ScheduleRequest&);
    /// Only where it applies; may be none where the op asks for colours or directions.
    std::vector<CollectiveSchedule> (*schedules)(const ScheduleRequest&);
    /// Not to be judged by closed_form_time(): it knows nothing of colours that meet on a link.
    bool to_be_played = false;
};

/// The registry. Where several apply, the usual one stands first.
const std::vector<ScheduleFamily>& schedule_families();

} // namespace alxsim::model
