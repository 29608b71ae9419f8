// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/graph/counts.h"

#include <memory>
#include <optional>
#include <vector>

namespace alxsim::model {

struct OpGraph;

/// One step as a device meets it: the graph, and the counts that its data yielded.
struct Step {
    std::shared_ptr<const OpGraph> graph;
    Counts counts;
    int epoch = 1; ///< the interval that it is of (an epoch, a training step), counted from 1
};

/// The steps of a job in order. Functional-first: `next` runs the step's effects before it returns,
/// and is called when the first device enters the step, so that numbers never depend on simulated
/// time.
class StepSource {
public:
    virtual ~StepSource() = default;
    /// Nothing when the job is over.
    virtual std::optional<Step> next() = 0;

    /// How many of the steps to come are the last one once more: with the same graph, counts and
    /// interval, and without effects.
    virtual std::int64_t again() const { return 0; }
    /// Goes on behind so many of those.
    virtual void leave_out(std::int64_t /*steps*/) {}
};

/// A run of equal steps, for the analytic model: nothing is executed.
struct StepGroup {
    Step step;
    /// -1: what the step does, and its time, are taken off. Where steps overlap, one of them is
    /// what several in a row take, less what all of these but the last take.
    std::int64_t times = 1;
};

/// The steps of one interval of a job (an epoch, a training step), in order.
using Program = std::vector<StepGroup>;

} // namespace alxsim::model
