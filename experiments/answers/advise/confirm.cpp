// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/advise/confirm.h"

#include "experiments/runs/files/hbm_rates_file.h"
#include "experiments/runs/files/scratch_folder.h"
#include "experiments/runs/runner.h"

namespace alxsim::experiments {
namespace {

/// Without a band: its draws are needed for all plans together (tell_draws).
PointSpec spec_of(const PlanSpace& space, const Selection& selection)
{
    return {space.is_studied(selection) ? "as the study has it" : join(space.words_of(selection)),
            {},
            changed(space.study_of(selection), {{"/band", false}})};
}

} // namespace

Confirmed confirm(const PlanSpace& space, const std::vector<Selection>& selections,
                  const ConfirmOptions& options)
{
    RunnerOptions runner;
    runner.executable = options.executable;
    runner.jobs = options.jobs;
    runner.catch_signals = options.catch_signals;
    runner.quiet = options.quiet;
    const ScratchFolder scratch;
    runner.hbm_rates = scratch.file("hbm_rates");
    HbmRatesFile(runner.hbm_rates).save(); // those that the search has measured
    runner.stop = options.stop;
    Confirmed confirmed;
    confirmed.points.resize(selections.size());
    runner.settled = [&](std::size_t index, const PointResult& result) {
        confirmed.points[index] = result.point;
    };
    std::vector<PointSpec> specs;
    specs.reserve(selections.size());
    for (const Selection& selection : selections) {
        specs.push_back(spec_of(space, selection));
    }
    try {
        run_points(specs, runner);
    } catch (const Interrupted&) { // what is settled is kept
    }
    return confirmed;
}

} // namespace alxsim::experiments
