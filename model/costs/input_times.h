// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <algorithm>
#include <cstdint>

namespace alxsim::model {

/// What a device's batch takes in each stage of its host's input pipeline.
struct InputTimes {
    Picoseconds read{0};     ///< of records, from storage
    Picoseconds parse{0};    ///< and layout
    Picoseconds transfer{0}; ///< over PCIe

    /// What a batch takes at least where stages work side by side.
    Picoseconds longest() const { return std::max({read, parse, transfer}); }
    /// What the first batch takes.
    Picoseconds sum() const { return read + parse + transfer; }

    void add(const InputTimes& other, std::int64_t times)
    {
        read += other.read * times;
        parse += other.parse * times;
        transfer += other.transfer * times;
    }
};

} // namespace alxsim::model
