// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/answers/advise/space.h"
#include "experiments/runs/runner.h"
#include "report/point.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::experiments {

struct ConfirmOptions {
    Program executable; ///< as the runner's
    int jobs = 2;
    bool quiet = false;
    bool catch_signals = false;
    std::function<bool()> stop; ///< time is up; may be empty
};

struct Confirmed {
    std::vector<std::optional<report::Point>> points; ///< none: not simulated
};

/// Simulates plans (fidelity sampled, without bands), `jobs` at a time in the order given, as the
/// runner does. What is not finished when time is up, or a signal comes, is ended. A point that
/// fails has an `error`.
Confirmed confirm(const PlanSpace& space, const std::vector<Selection>& selections,
                  const ConfirmOptions& options);

} // namespace alxsim::experiments
