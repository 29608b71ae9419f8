// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/advise/space.h"
#include "report/point.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

struct ConfirmOptions {
    std::string executable; ///< as the runner's
    int jobs = 2;
    bool quiet = false;
    bool catch_signals = false;
    std::function<double()> seconds_left; ///< of the budget; empty: no end
};

struct Confirmed {
    std::vector<std::optional<report::Point>> points; ///< none: not simulated
    bool interrupted = false;                         ///< by a signal
};

/// Simulates plans (fidelity sampled, without bands), `jobs` at a time in the order given, as the
/// runner does. The first `jobs` of them run whatever the time; more are started only if there is
/// time for as long as the slowest ones so far took. A point that fails has an `error`.
Confirmed confirm(const PlanSpace& space, const std::vector<Selection>& selections,
                  const ConfirmOptions& options);

} // namespace alxsim::experiments
