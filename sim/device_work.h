// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/costs/device_use.h"
#include "model/costs/op_cost.h"
#include "sim/observe/statistics.h"

#include <cstddef>
#include <cstdint>

namespace alxsim::sim {

/// What a device has done so far. Differences of two of them say what it did in between.
struct DeviceWork {
    std::int64_t ops = 0;
    std::int64_t ops_repeated = 0; ///< of them, in iterations that were not simulated
    Bytes hbm{0};
    Picoseconds matrix_busy{0};
    Picoseconds vector_busy{0};
    Picoseconds rows_busy{0}; ///< the DMA engine or the SparseCore, issuing rows
    Picoseconds transfers{0}; ///< from the first byte to the last, one by one
    Picoseconds waiting{0};   ///< in collectives, for those who come later
    Picoseconds communicating{0};
    model::DeviceUse use; ///< as far as it is settled: always where no collective is under way

    /// Counts the unit's work on an op.
    void add_unit_time(model::Unit unit, Picoseconds time);
    /// Adds `times` over what was done between `before` and `after`.
    void add(const DeviceWork& before, const DeviceWork& after, std::int64_t times);
    void declare(int device, Statistics& statistics) const;
};

} // namespace alxsim::sim
