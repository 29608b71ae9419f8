// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/uncertainty/given_worlds.h"
#include "experiments/points/uncertainty/uncertain_job.h"
#include "report/point.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// What one unknown does to an epoch by itself, all others at their central values.
struct Influence {
    Unknown unknown;
    double seconds_low = 0;  ///< of an epoch with the unknown's low value
    double seconds_high = 0; ///< with its high value
    double swing = 1;        ///< the longest epoch over the shortest: low, central or high value
    /// Share of the band's variance (of the logarithm of an epoch's seconds over the draws) that
    /// follows what the unknown does by itself: squared correlation. The shares of all unknowns add
    /// up to 1, but for what they do to each other and for chance, 1 / draws. 0 without draws.
    double share_of_band = 0;
};

/// Between which times the epoch of a job lies in most draws of its uncertain inputs.
struct EpochBand {
    double low = 0;     ///< seconds: 5 % of the draws are faster
    double central = 0; ///< every unknown at its central value
    double median = 0;  ///< half of them are faster
    double high = 0;    ///< 5 % are slower
    std::vector<model::Breakdown> draws;
    std::vector<Influence> ranking; ///< influences(), where they were asked for
};

/// What each unknown does by itself: the one that matters most first, those that change nothing in
/// this job left out.
std::vector<Influence> influences(const UncertainJob& job, int threads = 1);

/// Draws of all unknowns together (a Latin hypercube) through the analytic model, then each one by
/// itself. With `given`, draws are its worlds, and those of a Latin hypercube only for unknowns
/// that it does not know. The same for any number of host threads.
EpochBand epoch_band(const UncertainJob& job, std::uint64_t seed,
                     const GivenWorlds* given = nullptr, int threads = 1);

/// The same of a point. Throws InputError.
EpochBand epoch_band(const PointStudy& study);

/// The band of a point without the ranking, which takes two more estimates for each unknown. Throws
/// InputError.
EpochBand band_without_ranking(const PointStudy& study, int threads);

/// The worlds that a study names, if it does. Throws InputError.
std::unique_ptr<const GivenWorlds> given_worlds(const PointStudy& study);

/// Seconds of a point's epoch in so many worlds: those of a result of infer that the study names
/// (`given`), else draws of all unknowns. Draw i is the same world for each point of a seed. Throws
/// InputError.
std::vector<double> drawn_seconds(const PointStudy& study, int worlds);

/// The band relative to its centre, and the unknowns that move an epoch by 0.1 % at least, the
/// first ten of them: the analytic model's ratios to its centre times the point's own time.
report::Uncertainty uncertainty_of(const EpochBand& band, double epoch_seconds);

/// A point's seconds, shares and phases in every draw, the analytic model's ratios
/// to its centre times those of the point. Draws of two points with one seed are the same worlds:
/// an unknown of one name has the same quantile in draw i.
report::Drawn drawn_of(const EpochBand& band, double epoch_seconds);

} // namespace alxsim::experiments
