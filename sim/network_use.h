// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstdint>
#include <vector>

namespace alxsim::sim {

/// All links along one axis in one direction.
struct AxisUse {
    int axis = 0;      ///< of the slice
    int direction = 1; ///< +1 or -1
    std::int64_t links = 0;
    Bytes bytes{0};
    Picoseconds busy{0};
    Picoseconds busiest{0}; ///< of the link that was busy longest
    int busiest_chip = 0;   ///< where that one starts
    Bytes busiest_bytes{0}; ///< that it carried
};

/// Traffic of the whole slice.
struct NetworkUse {
    std::vector<AxisUse> axes;
    Bytes link_bytes{0};
    Bytes on_chip_bytes{0};
    Picoseconds link_busy{0}; ///< summed over directed links
    std::int64_t links = 0;   ///< directed
    std::int64_t messages = 0;
    std::int64_t message_hops = 0;
};

} // namespace alxsim::sim
