// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/space.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

struct ConfirmOptions {
    int jobs = 2;
    bool quiet = false;
    std::function<bool()> stop; ///< time is up: what runs is waited for, nothing more is started
};

struct Confirmed {
    std::vector<Json> points; ///< as in the report; null: not simulated
    bool interrupted = false; ///< by a signal
};

/// Simulates plans (fidelity sampled), each in a process of its own, `jobs` at a time in the order
/// given; the first `jobs` of them whatever the time. A point that fails has an `error`.
Confirmed confirm(const PlanSpace& space, const std::vector<Place>& places,
                  const ConfirmOptions& options);

} // namespace alxsim::experiments
