// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "experiments/answers/infer/evidence.h"
#include "experiments/schema/inferred.h"

#include <vector>

namespace alxsim::experiments {

/// A sample of worlds: what a measurement would find, and the figure that is asked for.
struct MeasuredWorlds {
    std::vector<double> found; ///< NaN where it cannot be made
    std::vector<double> asked; ///< NaN where the point does not fit
    std::vector<double> weights;
};

/// The ratio of the 95 to the 5 % end of the asked figure that is to be expected after a
/// measurement good to `tolerance`: each world in turn is taken for the true one, those whose
/// figure lies within the tolerance of its own stay (at least 50: the nearest), and the logarithms
/// of what they leave are averaged. 1 where nothing is known.
double expected_ratio(const MeasuredWorlds& worlds, double tolerance);

/// Which of some measurements would narrow the band of an epoch most, that first. `narrows`: the
/// share of the band's width (in logarithms) that is expected to go. `asked`: the point, of
/// `worlds`; what it is called is left open.
MeasurementRanking ranking_of(const DrawnWorlds& worlds, const Evidence& measurements,
                              const Sample& posterior, std::size_t asked, double discrepancy,
                              HostPool& pool);

} // namespace alxsim::experiments
