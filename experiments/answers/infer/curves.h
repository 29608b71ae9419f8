// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "experiments/answers/infer/evidence.h"
#include "experiments/points/study/study.h"
#include "experiments/schema/inferred.h"

#include <string>
#include <vector>

namespace alxsim::experiments {

/// The study's points, of which the first is point `first` of the worlds.
struct OwnPoints {
    const std::vector<PointSpec>& specs;
    const std::vector<std::string>& runs; ///< [specs]
    std::size_t first;
};

/// The study's curves in the prior's worlds and in those that agree; of at most most_worlds_told
/// worlds each. A point has what statements about its run say of its interval.
std::vector<SeriesBands> series_bands(const OwnPoints& own, const DrawnWorlds& worlds,
                                      const Statements& statements, const Draws& prior,
                                      const Sample& posterior, HostPool& pool);

/// Seconds of an interval of points `first` to `first + count` in some worlds: [world][point], NaN
/// where one does not fit.
std::vector<std::vector<double>> curves_in(const DrawnWorlds& worlds, std::size_t first,
                                           std::size_t count,
                                           const std::vector<const DrawnWorlds::World*>& in,
                                           HostPool& pool);

} // namespace alxsim::experiments
