// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/points/study/sampling_options.h"
#include "experiments/points/timing/timing.h"

namespace alxsim::experiments {

/// Times a job of which only some steps go through SystemC: the first ones of each kind of step and
/// the last one of the job, then a random sample of each kind, until the confidence interval on the
/// job's time is narrow enough or all steps have been simulated. The others are taken from the
/// analytic model, corrected by how the sampled ones differ from it (model/control_variate.h). Of
/// long loops in them that do not become periodic, some iterations are simulated: the others take
/// their mean time, whose error is part of the interval.
/// Steps of a kind have op graphs of one name. What only a whole simulation knows (counters, the
/// network's use link by link) is left out. `source` is run to its end first.
/// `trace`: watches those that are simulated; null: nobody does.
Timing sample(model::StepSource& source, const topologies::Machine& machine,
              const SamplingOptions& options, PointTrace* trace = nullptr);
/// Times one epoch of runs of equal steps in that way.
Timing sample(const model::Program& groups, const topologies::Machine& machine,
              const SamplingOptions& options, PointTrace* trace = nullptr);

} // namespace alxsim::experiments
