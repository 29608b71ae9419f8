// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace alxsim::sim {

/// Which steps a trace is of: of the first epoch that is simulated, counted from 1.
struct TracedSteps {
    enum class Which {
        first,
        last,
        worst, ///< the step that takes longest, of several the first
        range  ///< `from` to `to`
    };
    Which which = Which::first;
    std::int64_t from = 1;
    std::int64_t to = 1;

    /// Whether step `number` has to be kept until more is known.
    bool may_be(std::int64_t number) const
    {
        return which == Which::first   ? number == 1
               : which == Which::range ? from <= number && number <= to
                                       : number >= 1;
    }
};

} // namespace alxsim::sim
