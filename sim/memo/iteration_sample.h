// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace alxsim::sim {

/// How long the iterations of a loop take that does not become periodic, as far as they were
/// simulated one after the other.
///
/// Looks at the later half of 32, 64, 128, ... iterations: not at every number of them, until a few
/// come along that are alike by chance; and not at the first ones, since devices that begin alike
/// drift apart.
class IterationSample {
public:
    struct Mean {
        double picoseconds = 0;
        double standard_error = 0; ///< picoseconds, of `degrees_of_freedom`
    };
    static constexpr int degrees_of_freedom = 3;

    void clear() { *this = {}; }
    /// The next iteration begins. `times`: [device], when.
    void add(const std::vector<Picoseconds>& times);
    /// As it was when it last looked. None while iterations are too few, or devices still drift
    /// apart, until which an iteration may take another time than it will.
    const std::optional<Mean>& mean() const { return mean_; }

private:
    static constexpr std::size_t batches = degrees_of_freedom + 1;
    static constexpr std::size_t least = 32;

    Mean of_later_half() const;
    bool drift(const std::vector<Picoseconds>& now) const;

    std::vector<Picoseconds> begins_;               ///< in the mean of all devices
    std::vector<std::vector<Picoseconds>> offsets_; ///< of devices, where the later half begins and
                                                    ///< in its middle
    std::size_t looks_at_ = least;
    std::optional<Mean> mean_;
};

} // namespace alxsim::sim
