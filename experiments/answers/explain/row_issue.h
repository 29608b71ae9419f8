// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/explain/explanation.h"
#include "experiments/answers/explain/work.h"

namespace alxsim::experiments {

/// What a device's time at its memory goes to in an epoch, by the closed forms of its ops. A gather
/// or scatter whose rows take longer to issue than their bytes to move waits for no bandwidth.
struct MemoryTime {
    std::map<std::string, double> issue; ///< preset value -> seconds in which rows are issued by it
    double bytes = 0;                    ///< seconds in which bytes are moved
};

MemoryTime memory_time(const RebuiltPoint& point);

/// Splits "hbm" of what held an epoch up in that proportion: "row issue", with
/// the preset values that set it in `by`, and "hbm", the bytes.
void split_memory(std::vector<TimePart>& mechanisms, const MemoryTime& time);

} // namespace alxsim::experiments
