// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "spmd/checkpoint.h"
#include "workloads/workload.h"

#include <memory>
#include <optional>
#include <vector>

namespace alxsim::spmd {

/// A run of equal steps whose numbers are computed one step after the other: with progress, a
/// checkpoint after each step but the last, and metrics. What a step found is known before its
/// time.
class StepRun : public workloads::Run {
public:
    std::optional<model::Step> next() final;
    std::vector<workloads::IntervalMetrics> metrics() const final;

protected:
    /// `graph`: of a step, as it is timed.
    StepRun(std::shared_ptr<const model::OpGraph> graph, int steps, workloads::RunOptions options);

    /// Reads the checkpoint, if that is asked for; the constructor of a run does it in the end.
    /// Throws InputError for a damaged one.
    void resume();
    const workloads::RunOptions& options() const { return options_; }
    /// [step][figure] that compute() returned.
    const std::vector<std::vector<double>>& figures() const { return figures_; }

private:
    /// Does the numbers of a step, counted from 1. Returns the figures that metrics_of() reads.
    virtual std::vector<double> compute(int step, HostPool& pool) = 0;
    /// What a step is judged by; none: a step has no metrics.
    virtual std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const;
    /// All numbers that a step leaves for the next and for exports.
    virtual std::vector<MemoryPart> memory() = 0;

    void keep();

    std::shared_ptr<const model::OpGraph> graph_;
    int steps_;
    workloads::RunOptions options_;
    HostPool pool_;
    std::vector<std::vector<double>> figures_;
    int step_ = 0; ///< handed out last
};

} // namespace alxsim::spmd
