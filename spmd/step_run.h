// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "base/npy.h"
#include "spmd/checkpoint.h"
#include "spmd/step_builder.h"
#include "workloads/workload.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alxsim::spmd {

/// A run of equal steps whose numbers are computed one step after the other: with progress, a
/// checkpoint after each step but the last, metrics and counts. What a step found is known before
/// its time.
class StepRun : public workloads::Run {
public:
    std::optional<model::Step> next() final;
    std::vector<workloads::IntervalMetrics> metrics() const final;
    /// Calls and elements of collectives.
    Json counters() const final { return counts_json(moved_); }

protected:
    /// Makes a run of `steps` steps; `graph` is one step as it is timed.
    StepRun(std::shared_ptr<const model::OpGraph> graph, int steps, workloads::RunOptions options);

    /// Reads the checkpoint, if that is asked for; the constructor of a run does it in the end.
    /// Throws InputError for a damaged one.
    void resume();
    /// Returns the counts that the collectives of its steps add to.
    MovedCounts& moved() { return moved_; }
    /// Writes a matrix to NAME.npy where exports go, in f64 or else in f32; nothing if they go
    /// nowhere. Throws InputError for a folder or file that cannot be written.
    void export_matrix(const std::string& name, const NpyMatrix& matrix, NpyNumber number) const;
    /// Writes an array as the first device has it, in the same way.
    void export_array(const std::string& name, const Numbers& numbers, Array array,
                      Shape shape) const;
    /// Returns what compute() returned, [step][figure].
    const std::vector<std::vector<double>>& figures() const { return figures_; }

private:
    /// Does the numbers of a step, counted from 1. Returns the figures that metrics_of() reads.
    virtual std::vector<double> compute(int step, HostPool& pool) = 0;
    /// Returns the metrics of a step from its figures; none: a step has no metrics.
    virtual std::vector<workloads::Metric> metrics_of(const std::vector<double>& figures) const;
    /// Returns a step as it is timed: its own graph where steps differ in what data decide.
    virtual std::shared_ptr<const model::OpGraph> graph_of(int /*step*/) { return graph_; }
    /// Returns all numbers that a step leaves for the next one and for exports.
    virtual std::vector<MemoryPart> memory() = 0;

    void keep();

    std::shared_ptr<const model::OpGraph> graph_;
    int steps_;
    workloads::RunOptions options_;
    HostPool pool_;
    std::vector<std::vector<double>> figures_;
    MovedCounts moved_;
    int step_ = 0; ///< handed out last
};

} // namespace alxsim::spmd
