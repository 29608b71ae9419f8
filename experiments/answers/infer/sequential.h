// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "experiments/answers/infer/drawn_worlds.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace alxsim::experiments {

struct SequentialOptions {
    std::size_t worlds = 1000; ///< of the result, in four populations that know nothing of another
    std::uint64_t seed = 1;
    std::function<void(double)> progress = {}; ///< share of the way, by levels
};

/// Worlds that agree where hardly any of a prior's draws do.
struct SequentialDraws {
    std::vector<DrawnWorlds::World> worlds; ///< of equal weight; empty where none was reached
    double share = 0;                       ///< of the prior's worlds that agree: an estimate
    int levels = 0;
    double acceptance = 0; ///< of the moves on the last level
    /// The variance of a population's mean over that of so many independent worlds: 1 where moves
    /// have forgotten where they began. Mean over the unknowns that moved from the prior.
    double inefficiency = 1;
};

/// Sequential Monte Carlo over levels of tolerance (subset simulation: Au and Beck 2001; as
/// approximate Bayesian computation: Del Moral, Doucet and Jasra 2012). Begins with those of
/// `prior` whose misfit is least; each level halves them, copies the better half and moves all by
/// Metropolis steps that keep the level, most of them along differences of other worlds
/// (ter Braak 2006), others by new draws of a few unknowns; ends at misfit 1. The target is the
/// prior where misfit <= 1, exactly: nothing is weighted.
///
/// `misfits`: [prior]; `misfit(world, most)` may be infinite where it is over `most`, and is called
/// from many threads. The result does not depend on the number of threads. No world is reached
/// where fewer than 10 of the prior's have a finite misfit, or the levels stop shrinking.
SequentialDraws
draw_sequentially(const std::vector<DrawnWorlds::World>& prior, const std::vector<double>& misfits,
                  const std::function<double(const DrawnWorlds::World&, double most)>& misfit,
                  const SequentialOptions& options, HostPool& pool);

} // namespace alxsim::experiments
