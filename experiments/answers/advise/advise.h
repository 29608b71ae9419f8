// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "experiments/answers/advise/advice.h"
#include "experiments/points/study/study.h"
#include "experiments/runs/processes/child_process.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

struct AdviseOptions {
    /// The program that simulates plans in processes of its own; "" for this process (runner.h).
    Program executable;
    bool catch_signals = false; ///< while plans are simulated
    /// Asked now and then: whether to end as after a signal; empty: never.
    std::function<bool()> stop = {};
    std::string series; ///< whose values count; "" for the study's own
    /// To choose among: the study's own plan is compared with, but has a rank only if its count is
    /// one of them. Empty: those that the study sweeps, and its own.
    std::vector<int> cores;
    bool keep_cores = false; ///< whatever the study sweeps
    /// Presets to choose among; the study's own plan has a rank only if its chip is one of them.
    /// Empty: the study's chip.
    std::vector<std::string> chips;
    bool any_slice = false; ///< also slices that the vendor does not list
    /// Names of the only axes (choice_names() in space.h) that a plan may change; empty: all.
    std::vector<std::string> choices;
    Objective objective = Objective::time;
    PlanLimits limits;
    int top = 3;                ///< contenders (contenders.h) that are confirmed
    double budget_seconds = 30; ///< of this host's time
    bool table = false;         ///< the best plan of each chip and count, too
    /// What a finished report counted for the study (counts_of_report()), in words.
    std::optional<std::string> counted;
    int jobs = 2;
    bool quiet = false;
};

/// Searches what a study leaves to choice by the analytic model, simulates the best plans and the
/// studied one, and ranks them. When the budget's time is up, or a signal comes, it ends within a
/// second with what is finished. The same for the same study whatever the host, `host` aside, if
/// both search and simulations are complete. Throws InputError.
Advice advise(const Study& study, const AdviseOptions& options);

/// For people; `verbose`: what was refused, and why. `path`: of the study file.
Document document_of(const Advice& advice, const std::string& path,
                     const std::vector<std::string>& settings, bool verbose);

} // namespace alxsim::experiments
