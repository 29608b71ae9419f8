// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstdint>
#include <map>

namespace alxsim::sim {

/// How much of something (bytes moved, picoseconds that links were busy) fell into which part of
/// simulated time. Parts are all of one width, which doubles whenever there are too many of them:
/// memory is bounded however long it goes on. Amounts are whole, and none is lost.
class LoadCurve {
public:
    static constexpr std::size_t most_parts = 512;

    /// `amount`, evenly over [begin, end]; all at once if that is empty.
    void add(Picoseconds begin, Picoseconds end, std::int64_t amount);

    void add(const LoadCurve& other);

    Picoseconds width() const { return width_; }
    /// By number: part i is [i, i + 1) widths. Those without anything are left out.
    const std::map<std::int64_t, std::int64_t>& parts() const { return parts_; }
    std::int64_t total() const;

private:
    void widen();

    Picoseconds width_{1024};
    std::map<std::int64_t, std::int64_t> parts_;
};

} // namespace alxsim::sim
