// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/point.h"
#include "experiments/points/study/study.h"

#include <functional>
#include <vector>

namespace alxsim::experiments {

/// Previews `points` on `threads` of the host (>= 1) and hands each to `tell`, in the order of the
/// points and on the caller's thread. Schedules are timed as those of an analytic run. A point that
/// `run` would refuse has an `error`, and the others go on. Throws InputError of what is wrong with
/// the study (refuse_if_of_study).
void preview_all(const std::vector<PointSpec>& points, int threads,
                 const std::function<void(const PointSpec&, const Preview&)>& tell);

} // namespace alxsim::experiments
