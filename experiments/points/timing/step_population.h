// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job_estimate.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace alxsim::experiments {

/// Number of steps and the sum of their analytic times.
struct ControlTotals {
    std::int64_t count = 0;
    double sum = 0; ///< picoseconds
};

/// The steps of a job, each with its analytic time, as a population to draw samples from. Steps
/// whose op graphs have the same name are of one kind, however large each is.
class StepPopulation {
public:
    explicit StepPopulation(const topologies::Machine& machine) : machine_(machine), job_(machine)
    {
    }

    /// Appends `times` equal steps. Throws InputError for work that is not supported.
    void add(const model::Step& step, std::int64_t times);

    std::int64_t size() const { return size_; }
    int epochs() const { return runs_.empty() ? 0 : runs_.back().step.epoch; }
    int kinds() const { return static_cast<int>(kinds_.size()); }
    std::int64_t size_of(int kind) const { return kinds_[static_cast<std::size_t>(kind)].size; }
    /// Whether all of a kind are the same step: same ops, counts alike.
    bool are_equal(int kind) const { return kinds_[static_cast<std::size_t>(kind)].equal; }
    /// Whether `steps` steps of any kind of which there are more than `few` give the host the time
    /// to get as far ahead as it can, whatever comes next: nobody waits for it but the first step.
    bool host_catches_up_within(std::int64_t steps, std::int64_t few) const;
    /// Place in the job of member number `member` of a kind.
    std::int64_t index_of(int kind, std::int64_t member) const;

    const model::Step& step(std::int64_t index) const { return run_at(index).step; }
    int kind_of(std::int64_t index) const { return run_at(index).kind; }
    /// Analytic time on the device, picoseconds.
    double control(std::int64_t index) const { return run_at(index).control; }
    /// Sums up a kind's members but those in `left_out`, in one epoch or in all (0).
    ControlTotals controls_of(int kind, const std::set<std::int64_t>& left_out,
                              int epoch = 0) const;
    /// What the analytic model makes of the whole job.
    const model::JobEstimate& analytic() const { return job_; }

private:
    struct Run {
        model::Step step;
        std::int64_t first = 0; ///< place in the job
        std::int64_t times = 0;
        int kind = 0;
        double control = 0;
    };
    struct Kind {
        std::int64_t size = 0;
        bool equal = true;
        double shortest = 0; ///< control of its members
        std::vector<std::size_t> runs;
        std::vector<std::int64_t> firsts; ///< of each run, counted among the kind's members
    };

    const Run& run_at(std::int64_t index) const;

    const topologies::Machine& machine_;
    model::JobEstimate job_;
    Picoseconds longest_stage_{0}; ///< of what the host does for a step
    Picoseconds longest_batch_{0}; ///< likewise, all stages of a step
    std::vector<Run> runs_;
    std::vector<Kind> kinds_;
    std::map<std::string, int> kind_of_name_; ///< of an op graph
    std::int64_t size_ = 0;
};

} // namespace alxsim::experiments
