// SPDX-License-Identifier: Apache-2.0
#include "experiments/advise/confirm.h"

#include "experiments/processes/hbm_rates_file.h"
#include "experiments/processes/scratch_folder.h"
#include "experiments/runner.h"

#include <algorithm>
#include <cmath>

namespace alxsim::experiments {
namespace {

/// Without a band: its draws are needed for all plans together (tell_draws).
PointSpec spec_of(const PlanSpace& space, const Selection& selection)
{
    return {space.is_studied(selection) ? "as the study has it" : join(space.words_of(selection)),
            {},
            changed(space.study_of(selection), {{"/band", false}})};
}

/// What the analytic model takes and a simulation refuses fails for itself alone.
std::vector<report::Point> run_batch(const std::vector<PointSpec>& specs,
                                     const RunnerOptions& options)
{
    std::vector<report::Point> points;
    for (PointResult& result : run_points(specs, options)) {
        points.push_back(std::move(result.point));
    }
    return points;
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
    Confirmed confirmed;
    confirmed.points.resize(selections.size());
    const auto jobs = static_cast<std::size_t>(options.jobs);
    double slowest = 0;
    try {
        for (std::size_t first = 0; first < selections.size(); first += jobs) {
            const double left = options.seconds_left ? options.seconds_left() : HUGE_VAL;
            if (first > 0 && left < slowest) {
                break;
            }
            std::vector<PointSpec> specs;
            for (std::size_t i = first; i < std::min(first + jobs, selections.size()); ++i) {
                specs.push_back(spec_of(space, selections[i]));
            }
            const std::vector<report::Point> points = run_batch(specs, runner);
            std::copy(points.begin(), points.end(),
                      confirmed.points.begin() + static_cast<std::ptrdiff_t>(first));
            if (options.seconds_left) {
                slowest = std::max(slowest, left - options.seconds_left());
            }
        }
    } catch (const Interrupted&) {
        confirmed.interrupted = true;
    }
    return confirmed;
}

} // namespace alxsim::experiments
