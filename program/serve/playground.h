// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/job.h"
#include "program/serve/confirmation.h"
#include "program/serve/curve.h"
#include "program/serve/scenario.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace alxsim::program {

using namespace experiments;

/// How a page is served.
struct PlaygroundOptions {
    Program executable;        ///< the program `alxsim`, which confirms
    int threads = 1;           ///< of this host
    double curve_seconds = 60; ///< that a request may take; a confirmation goes on after it
};

/// What a page that plays with a study asks for: JSON in, JSON out, no HTTP. Each request is an
/// object {"series", "set"} (scenario.h) and what stands here. Throws InputError with the text that
/// `check` would print: for a file that the study does not name, too, and for what takes too long.
/// Throws Stopped where that is wanted of the calling thread. Safe from several threads.
class Playground {
public:
    Playground(Study study, PlaygroundOptions options);

    /// What can be set (controls.h).
    Json controls(const Json& request);
    /// Points and series as in a report by the analytic model, with `words` on them. "detail":
    /// "quick" (if it does not say), or "full": with the band and what-ifs; Superseded, if a later
    /// quick one comes meanwhile.
    Json curve(const Json& request);
    /// Runs the points of the scenario (those whose numbers are in "points"; else all) by its own
    /// fidelity. Throws Busy while it does that already.
    Json confirm(const Json& request);
    Json confirmation() const;
    Json cancel();
    /// The scenario as a study: {"name", "text"}. With "file", a name, it is written beside the
    /// study, too, where nothing has that name, and no link.
    Json save(const Json& request);
    /// Ends what takes long: the simulation, and all requests.
    void end();

private:
    using Wanted = std::function<bool()>;
    using Work = std::function<Json()>;
    Json within_limits(
        const Work& work, const Wanted& wanted = [] { return true; });
    Json quick_curve(const Study& study);
    Json full_curve(const Study& study);
    void keep_data(const PointStudy& study);
    void try_files(const Study& study);

    const Study study_;
    const PlaygroundOptions options_;
    const std::vector<std::string> texts_; ///< of the study: among them its files
    CurveModel curves_;
    std::atomic<bool> ended_{false};
    std::atomic<std::uint64_t> quick_requests_{0};
    std::timed_mutex full_;                      ///< one at a time
    mutable std::mutex mutex_;                   ///< of what follows
    std::shared_ptr<Confirmation> confirmation_; ///< the last one
    WorkloadPointer kept_;                       ///< has the data of the curve that is looked at
    Json kept_of_;                               ///< its /workload
};

/// It does that already.
class Busy : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace alxsim::program
